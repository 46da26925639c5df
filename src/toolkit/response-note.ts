// Explains a navigation whose response is not a readable page: a PDF or a download. Pure.
import { valueIf } from '../core/defined.ts';
import type { Navigation } from '../browser/tabs/navigate.ts';

const PDF = 'application/pdf';
const PDF_NOTE =
  'This is a PDF in the viewer of Chrome: read_page returns its text, find searches it, ' +
  'page_screenshot shows it. ' +
  "javascript_tool {code: \"const a = document.createElement('a'); " +
  "a.href = location.href; a.download = ''; a.click()\"} " +
  'saves the file, and downloads returns its path.';

/** Names the tools that give the content; undefined for a page. */
export const describeResponse = ({
  mimeType,
  download,
  downloaded,
}: Navigation): string | undefined => {
  if (!download) return valueIf(mimeType === PDF, PDF_NOTE);
  if (!downloaded)
    return 'The URL is a file: Chrome downloads it, and the tab keeps its page. See downloads.';
  const { id, file, type } = downloaded;
  const isPdf = type === PDF || /\.pdf$/i.test(file);
  const [kind, reading] = isPdf
    ? ['a PDF file', 'Until the tab opens another page, read_page and find read it. ']
    : ['a file', ''];
  return (
    `The URL is ${kind}: Chrome downloads it as ${id} ${JSON.stringify(file)} ` +
    `and the tab keeps its page. ${reading}downloads returns its path.`
  );
};
