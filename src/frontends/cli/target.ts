// What a word of the command line points at: a ref, CSS, or the words of an element. Pure.

export interface PointedAt {
  readonly field: 'ref' | 'selector' | 'query';
  readonly value: string;
}

/** A tag name with something behind it that only CSS has: `input[name=q]`, `div.card`, `li:first-child`. */
const TAGGED =
  /^(?:a|article|aside|button|div|fieldset|figure|footer|form|h[1-6]|header|iframe|img|input|label|li|main|nav|ol|option|p|section|select|span|summary|table|tbody|td|textarea|th|thead|tr|ul|video)(?:[#.[][\w-]|::?[a-z-]+)/;

/** `css=…` and `text=…` say it outright. */
export const pointAt = (text: string): PointedAt => {
  const [, kind, said = ''] = /^(css|text|ref)=(.+)$/s.exec(text) ?? [];
  if (kind !== undefined) return { field: kind === 'css' ? 'selector' : kind === 'ref' ? 'ref' : 'query', value: said };
  if (/^e\d+$/.test(text)) return { field: 'ref', value: text };
  return { field: looksLikeCss(text) ? 'selector' : 'query', value: text };
};

const looksLikeCss = (text: string): boolean => /^[#.][A-Za-z_-][\w-]*|^\[[\w-]+|^\*$| > /.test(text) || TAGGED.test(text);
