// Shows pictures in a terminal: kitty's graphics protocol, or inline images of iTerm2.
import { fail, type Failure } from '../../core/failure.ts';

export type PictureProtocol = 'kitty' | 'iterm2';

/** Values of TERM_PROGRAM. */
const PROGRAMS: Readonly<Record<string, PictureProtocol>> = {
  ghostty: 'kitty',
  'iTerm.app': 'iterm2',
  WezTerm: 'iterm2',
  mintty: 'iterm2',
};

/** Undefined if the terminal is not known to show pictures, or a multiplexer is in between. */
export const findPictureProtocol = (env: NodeJS.ProcessEnv): PictureProtocol | undefined => {
  const { TERM: term = '', TERM_PROGRAM: program = '' } = env;
  if (env['TMUX'] !== undefined || /^(?:screen|tmux)/.test(term)) return undefined;
  if (env['KITTY_WINDOW_ID'] !== undefined || /kitty|ghostty/.test(term)) return 'kitty';
  return PROGRAMS[program] ?? (env['LC_TERMINAL'] === 'iTerm2' ? 'iterm2' : undefined);
};

/** Throws if stdout is not a terminal that shows pictures. */
export const requirePictureProtocol = (
  env: NodeJS.ProcessEnv,
  isTerminal: boolean,
): PictureProtocol => {
  const protocol = isTerminal ? findPictureProtocol(env) : undefined;
  if (protocol) return protocol;
  throw fail('invalid_argument', describeRefusal(isTerminal), {
    argument: 'show',
    hint: 'Save it to a file: openchrome screenshot page.png',
  });
};

const describeRefusal = (isTerminal: boolean): string =>
  isTerminal
    ? '--show needs a terminal that shows pictures: kitty, Ghostty, WezTerm or iTerm2.'
    : '--show needs a terminal, and the output is not one.';

/** The largest part of a picture in one escape code of kitty. */
const CHUNK = 4096;
const [START, END] = ['\u001b_G', '\u001b\\'];

/** The escape codes that show a picture; `data` is base64. kitty shows only PNG. */
export const encodePicture = (
  protocol: PictureProtocol,
  { data, mimeType }: { readonly data: string; readonly mimeType: string },
): string => {
  if (protocol === 'iterm2')
    return `\u001b]1337;File=inline=1;preserveAspectRatio=1:${data}\u0007\n`;
  if (mimeType !== 'image/png') throw notPng(mimeType);
  const count = Math.ceil(data.length / CHUNK);
  const chunks = Array.from({ length: count }, (_, i) => data.slice(i * CHUNK, (i + 1) * CHUNK));
  const codes = chunks.map((chunk, i) => {
    const more = i < chunks.length - 1 ? 1 : 0;
    return `${START}${i === 0 ? 'a=T,f=100,' : ''}m=${more};${chunk}${END}`;
  });
  return `${codes.join('')}\n`;
};

const notPng = (mimeType: string): Failure =>
  fail('invalid_argument', `This terminal shows PNG, not ${mimeType}.`, {
    argument: 'show',
    hint: 'Use a path that ends in .png, or no path.',
  });
