// Renders a hint for its reader: tools and arguments for a model, commands for a shell. Pure.

/** `[[open]]` in a hint becomes one of these texts. */
const MENTIONS = {
  accept: ['handle_dialog {accept: true}', 'openchrome dialog accept'],
  cancelTask: ['oc_task_cancel', 'openchrome tasks cancel'],
  click: ['interact', 'openchrome click'],
  confirm: ['confirm: true', '--confirm'],
  dialog: ['handle_dialog', 'openchrome dialog accept or openchrome dialog dismiss'],
  dismiss: ['handle_dialog {accept: false}', 'openchrome dialog dismiss'],
  elsewhere: ['navigate', 'openchrome open URL'],
  emulate: ['emulate', 'openchrome call emulate'],
  fetchOutput: ['oc_output_fetch', 'openchrome output show'],
  fill: ['interact {action: "fill"}', 'openchrome fill'],
  find: ['find', 'openchrome find'],
  findTools: ['expand_tools', 'openchrome tools'],
  finishTask: ['oc_task_finish', 'openchrome tasks finish'],
  format: ['format', '--format'],
  form: ['fill_form', 'openchrome form'],
  grep: ['grep', 'openchrome output grep'],
  health: ['oc_connection_health', 'openchrome call oc_connection_health'],
  httpAuth: ['http_auth', 'openchrome call http_auth'],
  inline: ['output_mode "inline"', '--output-mode inline'],
  listSnapshots: ['oc_session_resume {list: true}', 'openchrome call oc_session_resume --list'],
  listTasks: ['oc_task_list', 'openchrome tasks'],
  loadLogin: ['storage {"action":"load"}', 'openchrome storage load FILE'],
  modeAx: ['mode "ax"', '--mode ax'],
  newTab: ['tabs {action: "new"}', 'openchrome tabs new'],
  open: ['navigate {url}', 'openchrome open URL'],
  page: ['offset and limit', '--offset and --limit'],
  pageRanges: ['pageRanges', '--page-ranges'],
  read: ['read_page', 'openchrome state'],
  readRef: ['read_page {ref}', 'openchrome read REF'],
  reload: ['navigate {action: "reload"}', 'openchrome reload'],
  reveal: ['reveal', '--reveal'],
  screenshot: ['page_screenshot', 'openchrome screenshot'],
  showTask: ['oc_task_get', 'openchrome tasks show'],
  sinceLast: ['read_page {since: "last"}', 'openchrome read --since last'],
  startRecording: ['recording {action: "start"}', 'openchrome record start'],
  startTask: ['oc_task_start', 'openchrome tasks start'],
  stopRecording: ['recording {action: "stop"}', 'openchrome record stop'],
  storage: ['storage', 'openchrome storage load FILE'],
  tab: ['tabId', '--tab'],
  tabs: ['tabs_context', 'openchrome tabs'],
  timeout: ['timeout_ms', '--timeout'],
  ttl: ['ttl', '--ttl'],
  wait: ['wait_for', 'openchrome wait'],
  waitForDownload: ['wait_for {download}', 'openchrome wait --download NAME'],
  waitForLoad: ['wait_for {loadState: "load"}', 'openchrome wait --load-state load'],
  waitTask: ['oc_task_wait', 'openchrome tasks wait'],
} as const satisfies Readonly<Record<string, readonly [model: string, shell: string]>>;

/** The reader of a hint: a model over MCP, or the user of a shell. */
export type HintReader = 'model' | 'shell';

const MENTION = /\[\[([a-zA-Z]{1,20})\]\]/g;

export const renderHint = (text: string, reader: HintReader): string =>
  text.replace(MENTION, (mark, name: string) => {
    if (!Object.hasOwn(MENTIONS, name)) return mark;
    const [model, shell] = MENTIONS[name as keyof typeof MENTIONS];
    return reader === 'model' ? model : shell;
  });
