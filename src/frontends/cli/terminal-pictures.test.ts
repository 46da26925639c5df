// Tests of pictures in terminals: detection, and the escape codes.
import { expect, it } from 'vitest';
import { encodePicture, findPictureProtocol } from './terminal-pictures.ts';

it.each<[NodeJS.ProcessEnv, string | undefined]>([
  [{ TERM: 'xterm-kitty' }, 'kitty'],
  [{ TERM: 'xterm-256color', KITTY_WINDOW_ID: '1' }, 'kitty'],
  [{ TERM: 'xterm-ghostty', TERM_PROGRAM: 'ghostty' }, 'kitty'],
  [{ TERM_PROGRAM: 'iTerm.app' }, 'iterm2'],
  [{ TERM_PROGRAM: 'WezTerm' }, 'iterm2'],
  [{ LC_TERMINAL: 'iTerm2', TERM: 'xterm' }, 'iterm2'],
  [{ TERM: 'screen-256color', KITTY_WINDOW_ID: '1' }, undefined],
  [{ TMUX: '/tmp/x', TERM_PROGRAM: 'iTerm.app' }, undefined],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }, undefined],
])('the terminal of %j shows pictures with %s', (env, protocol) => {
  expect(findPictureProtocol(env)).toBe(protocol);
});

it('sends a picture to kitty in chunks, and to iTerm2 in one escape code', () => {
  const picture = { data: 'A'.repeat(5000), mimeType: 'image/png' };
  const kitty = encodePicture('kitty', picture).split('\u001b\\');
  expect(kitty.map((code) => code.slice(0, 20))).toEqual([
    '\u001b_Ga=T,f=100,m=1;AAA',
    `\u001b_Gm=0;${'A'.repeat(13)}`,
    '\n',
  ]);
  expect(encodePicture('iterm2', { ...picture, data: 'QQ==' })).toBe(
    '\u001b]1337;File=inline=1;preserveAspectRatio=1:QQ==\u0007\n',
  );
  expect(() => encodePicture('kitty', { ...picture, mimeType: 'image/webp' })).toThrow('PNG');
});
