// The tests of the attach suites that do not apply over the extension, each with the reason.

/**
 * The suites that also run over the extension: `npm run test:own-chrome`. The suite of cookies
 * cannot, because it clears the cookies of all sites.
 */
export const OVER_EXTENSION = [
  'tests/act/{clipboard,dialogs,held-input,losing,settling,waiting}.test.ts',
  'tests/guard/attached.test.ts',
  'tests/journeys/attach.test.ts',
  'tests/network/{listing,wait}.test.ts',
  'tests/read/{find,refs}.test.ts',
  'tests/recording/person.test.ts',
  'tests/tools/{background-tabs,console,downloads,emulate,expect,extract-data}.test.ts',
  'tests/tools/{http-auth,javascript-tool,load-failures,navigate,page-pdf}.test.ts',
  'tests/tools/{page-screenshot,request-intercept,storage,tabs}.test.ts',
];

interface Exceptions {
  /** As in docs/own-chrome.md. */
  readonly reason: string;
  /** The ends of the full names of the tests. */
  readonly tests: readonly string[];
}

export const EXCEPTIONS: readonly Exceptions[] = [
  {
    reason: 'Agents may use the cookies of the own site only.',
    tests: [
      'storage a saved login makes another browser known, and only its owner can read the file',
    ],
  },
  {
    reason: "The server does not know the processes of the user's Chrome, so it cannot kill them.",
    tests: [
      'is restarted by the next call, which reports the lost tabs',
      'a crashed page is reported at once, and a reload works',
      'the page crashes while its target is awaited is not called done, and the tab can be used again',
      'the page crashes while its handler runs is not called done, and the tab can be used again',
      'Chrome dies is not called done, and the next call has a new Chrome',
    ],
  },
  {
    reason: "The user's window determines the size of the page.",
    tests: [
      'page_screenshot captures the viewport',
      'page_screenshot saves at full size inside of an allowed folder',
      // needs the page of the first test
      'page_screenshot captures a single element',
      'emulate a device: its screen, its touch, its name',
    ],
  },
  {
    reason: 'Permissions, the location and the clipboard belong to the user.',
    tests: [
      'emulate permissions, until they are taken back',
      'emulate a location, which the page can read',
      'copy returns the text of an element, and a paste inserts it elsewhere',
      'copy without a target reads the text that the page itself copied',
      'real paste event, after what is visible, which no copy handler of the page sees',
    ],
  },
  {
    reason: 'Chrome detaches the debugger from PDFs and from warnings about certificates.',
    tests: [
      'navigate names the certificate as the cause and does not suggest a retry',
      'opening a tab, a check and a crawl by fetch report the same cause',
      'navigate reports that it is a PDF and how to get it, and the tab stays usable',
      'a tab opened at a PDF reports it',
      'the receipt of a click on a link to a PDF names the file or the kind of document',
      'the code that the note suggests saves it if Chrome shows it',
    ],
  },
  {
    reason: "The user's Chrome uses the user's proxy.",
    tests: [
      'http://example.test/ reports that the proxy requires a password',
      'https://example.test/ reports that the proxy requires a password',
      'a proxy that is not running is named as the cause',
    ],
  },
  {
    reason: 'Tabs that the user did not grant are invisible.',
    tests: [
      'has all its tabs listed without any of them being attached to',
      'lets a tab that is named be used, but not closed',
      'lists the requests since its tab was first used, and reports that time',
      'is still there, with its tabs, after the engine has let go of it',
    ],
  },
  {
    reason: 'Dialogs without end, and 20 MB of source maps, exceed the time limits of the tests.',
    tests: [
      'stops at a page that opens dialogs without end, and reports the dialog',
      'reads a source map of many megabytes in a worker thread, also a hostile one',
    ],
  },
  {
    reason: 'An empty page that replaces a page has the storage of that page.',
    tests: ['storage a failure has its reason'],
  },
];
