// Renders the index.html of an evidence bundle, without scripts or network requests.
import { cutToBytes } from '../../core/text.ts';

/** Allows only files of the bundle, and no scripts. */
const POLICY = [
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:",
  "frame-src 'self' file:; base-uri 'none'; form-action 'none'",
].join('; ');
const STYLE = `body{font:14px/1.5 system-ui,sans-serif;color:#222}
body{margin:2em auto;max-width:70em;padding:0 1em}
table{border-collapse:collapse}
td,th{border:1px solid #ccc;padding:.2em .6em;text-align:left;vertical-align:top}
code{font-size:12px;word-break:break-all}
pre{background:#f6f6f6;padding:1em;overflow:auto;max-height:40em;white-space:pre-wrap}
img{max-width:100%;border:1px solid #ccc}
iframe{width:100%;height:40em;border:1px solid #ccc}
.bad{color:#b00}`;
/** The index shows this much of a file. */
const EXCERPT_BYTES = 100_000;

interface IndexedPart {
  readonly name: string;
  readonly bytes: number;
  readonly sha256?: string;
  readonly note?: string;
  readonly error?: string;
}

interface IndexFacts {
  readonly url: string;
  readonly capturedAt: number;
  readonly parts: readonly IndexedPart[];
  /** Excerpts of text files by file name. */
  readonly shown: ReadonlyMap<string, string>;
}

const escape = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

/** Returns the text that the index shows of a file; '' for images and HTML, which are embedded. */
export const buildExcerpt = (name: string, content: Uint8Array): string => {
  if (name.endsWith('.png') || name.endsWith('.html')) return '';
  if (content.length <= EXCERPT_BYTES) return Buffer.from(content).toString('utf8');
  const start = Buffer.from(content.subarray(0, EXCERPT_BYTES + 4)).toString('utf8');
  return `${cutToBytes(start, EXCERPT_BYTES)}\n… ${content.length} bytes in total`;
};

export const renderIndex = ({ url, capturedAt, parts, shown }: IndexFacts): string => {
  const time = new Date(capturedAt).toISOString();
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer"><title>Evidence of ${time}</title>
<style>${STYLE}</style></head>
<body><h1>Evidence of ${time}</h1><p>Page: <code>${escape(url)}</code></p>
<p>Secrets, passwords and the values of cookies and storage are removed.
manifest.json has the hash of every file.</p>
<table><tr><th>File</th><th>Bytes</th><th>SHA-256</th><th>Notes</th></tr>
${parts.map(renderRow).join('\n')}
</table>
${parts
  .filter(({ error }) => error === undefined)
  .map(({ name }) => renderPart(name, shown.get(name) ?? ''))
  .join('\n')}
</body></html>
`;
};

const renderRow = ({ name, bytes, sha256 = '', note = '', error }: IndexedPart): string => {
  const file = error === undefined ? `<a href="${escape(name)}">${escape(name)}</a>` : escape(name);
  const remark = error === undefined ? escape(note) : `<span class="bad">${escape(error)}</span>`;
  const cells = [file, bytes, `<code>${sha256}</code>`, remark];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
};

/** HTML is embedded in an iframe sandbox without permissions. */
const renderPart = (name: string, text: string): string => {
  const title = `<h2>${escape(name)}</h2>`;
  if (name.endsWith('.png'))
    return `${title}<img src="${escape(name)}" alt="Screenshot of the page">`;
  if (name.endsWith('.html'))
    return `${title}<iframe sandbox="" src="${escape(name)}" title="${escape(name)}"></iframe>`;
  return `${title}<pre>${escape(text)}</pre>`;
};
