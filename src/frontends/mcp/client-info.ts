// The name and version of an MCP client, which `initialize` or the `_meta` of a request declares.
import { getField } from '../../core/json.ts';
import type { Exchange } from './methods.ts';
import type { RpcParams } from './protocol.ts';

export const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo';

const NAME_CHARS = 60;
const VERSION_CHARS = 30;

/** Control, format and unassigned characters, which could reverse or hide the text around them. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

const readText = (info: unknown, field: string, maxChars: number): string => {
  const value = getField(info, field);
  if (typeof value !== 'string') return '';
  const cleaned = value.slice(0, maxChars * 4).replace(INVISIBLE, ' ');
  return [...cleaned.trim()].slice(0, maxChars).join('');
};

/** "claude-code 2.1.0"; undefined if the client declares no name. */
const formatClientInfo = (info: unknown): string | undefined => {
  const name = readText(info, 'name', NAME_CHARS);
  if (name === '') return undefined;
  return `${name} ${readText(info, 'version', VERSION_CHARS)}`.trimEnd();
};

/** The declaration of the client, from its handshake or from this request. */
export const findClientInfo = (
  params: RpcParams,
  { clientInfo, envelope }: Pick<Exchange, 'clientInfo' | 'envelope'>,
): unknown => clientInfo ?? getField(envelope ?? params['_meta'], CLIENT_INFO_KEY);

/** The name of the client for people, without characters that could disturb other text. */
export const describeClient = (params: RpcParams, exchange: Exchange): string | undefined => {
  if (exchange.client?.wishes?.shell) return 'command line';
  return formatClientInfo(findClientInfo(params, exchange));
};
