// The commands of the extension that are not part of CDP, and the code of its refusals.
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';

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
  }
}
