// The commands of the extension that are not part of CDP, and the code of its refusals.
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';

/** The name that the user sees for the default session of a server. */
export const DEFAULT_AGENT = 'OpenChrome';

/** The error code with which the extension rejects a command. */
export const REFUSED_CODE = -32_099;

export type LinkCommand = Extract<keyof ProtocolMapping.Commands, `OpenChrome.${string}`>;

interface OpenTabRequest {
  /** The name of the tab group. */
  readonly agent: string;
}

interface ReportCallRequest {
  readonly targetId: string;
  /** The tool that starts; undefined if a call has ended. */
  readonly action?: string;
}

/** The servers that share the link, and the one that has it: the others survive its end. */
export interface MembersReport {
  readonly members: readonly string[];
  readonly host: string;
}

/** How the user ended a grant: Stop in the popup, out of the group, or Cancel in Chrome's bar. */
export type GrantEnd = 'stopped' | 'ungrouped' | 'cancelled';

interface GrantEnded {
  readonly targetId: string;
  readonly reason: GrantEnd;
}

declare module 'devtools-protocol/types/protocol-mapping.js' {
  namespace ProtocolMapping {
    interface Commands {
      /** Opens a background tab in the group of the agent. */
      'OpenChrome.openTab': {
        paramsType: [OpenTabRequest];
        returnType: { readonly targetId: string };
      };
      /** Reports the start and the end of a call in a tab. */
      'OpenChrome.reportCall': { paramsType: [ReportCallRequest]; returnType: void };
    }
    interface Events {
      /** The user ended a grant; the tab stays open. */
      'OpenChrome.grantEnded': [GrantEnded];
    }
  }
}
