// Takes comments out of HTML source, the way a browser would see them: not in scripts, styles and attribute values.

const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript', 'plaintext']);
const TAG_NAME = /[a-zA-Z][^\s/>]*/y;

interface WithoutComments {
  readonly text: string;
  readonly removed: number;
}

export const removeComments = (html: string): WithoutComments => {
  if (!html.includes('<!--')) return { text: html, removed: 0 };
  const kept: string[] = [];
  let removed = 0;
  let from = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    if (!html.startsWith('<!--', at)) {
      at = endOfMarkup(html, at);
      continue;
    }
    kept.push(html.slice(from, at));
    removed++;
    from = at = endOfComment(html, at);
  }
  kept.push(html.slice(from));
  return { text: kept.join(''), removed };
};

/** Behind the comment that begins at `at`; one without an end reaches to the end. */
const endOfComment = (html: string, at: number): number => {
  const body = at + 4;
  if (html.startsWith('>', body)) return body + 1;
  if (html.startsWith('->', body)) return body + 2;
  const plain = html.indexOf('-->', body);
  const bang = html.slice(body, plain < 0 ? html.length : plain).indexOf('--!>');
  if (bang >= 0) return body + bang + 4;
  return plain < 0 ? html.length : plain + 3;
};

/** Behind the tag at `at`, and behind its content where that is no markup; where no tag begins, the next character. */
const endOfMarkup = (html: string, at: number): number => {
  TAG_NAME.lastIndex = at + 1;
  const name = TAG_NAME.exec(html)?.[0].toLowerCase();
  if (name === undefined) return at + 1;
  const end = endOfTag(html, at + 1 + name.length);
  if (!RAW_TEXT.has(name)) return end;
  const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  close.lastIndex = end;
  return close.exec(html)?.index ?? html.length;
};

/** Quotes hide what looks like markup in attribute values. */
const endOfTag = (html: string, at: number): number => {
  for (let i = at; i < html.length; i++) {
    const char = html[i];
    if (char === '>') return i + 1;
    if ((char === '"' || char === "'") && /=\s*$/.test(html.slice(Math.max(at, i - 8), i))) {
      i = html.indexOf(char, i + 1);
      if (i < 0) return html.length;
    }
  }
  return html.length;
};
