// The requests of one tab as a waterfall, with the details of one request.
import { computed, signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { RequestDetail, RequestItem, RequestPage } from '../messages.ts';
import { tabs } from './dashboard-state.ts';
import { DetailPane, Fact, Facts } from './detail-pane.tsx';
import { SearchField } from './filter-fields.tsx';
import { fetchJson } from './server-requests.ts';
import { formatBytes, formatCounted, formatJson, formatMs, shortenUrl } from './text-format.ts';
import { Icon } from './view-icons.tsx';
import { VirtualList } from './virtual-list.tsx';

const REFRESH_MS = 1_500;
const RUNNING_REFRESH_MS = 500;

const chosenTab = signal<string | undefined>(undefined);
const search = signal('');
const requests = signal<readonly RequestItem[]>([]);
const harLink = signal('');
const openedKey = signal<string | undefined>(undefined);
const scope = signal<'all' | ''>('');

const shownTab = computed(() => {
  const active = tabs.value.find(({ active: isActive }) => isActive) ?? tabs.value[0];
  return tabs.value.find(({ tabId }) => tabId === chosenTab.value) ?? active;
});

/** The requests since the last document was opened, which share one scale of time. */
const requestsOfPage = computed(() => {
  const start = requests.value.findLastIndex(({ resourceType }) => resourceType === 'Document');
  return start < 0 ? requests.value : requests.value.slice(start);
});

const rows = computed(() => {
  const words = search.value.trim().toLowerCase();
  const all = scope.value === 'all' ? requests.value : requestsOfPage.value;
  return words === ''
    ? all
    : all.filter(({ url, method, contentType }) =>
        `${method} ${url} ${contentType}`.toLowerCase().includes(words),
      );
});

/** The times of the first start and of the last end. */
const range = computed(() => {
  const starts = rows.value.map(({ startedAt }) => startedAt);
  const ends = rows.value.map(({ startedAt, durationMs = 0 }) => startedAt + durationMs);
  const from = starts.reduce((a, b) => Math.min(a, b), Infinity);
  const to = ends.reduce((a, b) => Math.max(a, b), -Infinity);
  return { from, span: Math.max(1, to - from) };
});

const findTone = ({ status = 0, error, state }: RequestItem): string => {
  if (error !== undefined || status >= 500) return 'bad';
  if (status >= 400) return 'warn';
  return state === 'finished' ? 'good' : 'busy';
};

const PHASES = [
  ['blockedMs', 'Waiting in Chrome'],
  ['dnsMs', 'DNS'],
  ['connectMs', 'Connecting'],
  ['tlsMs', 'TLS'],
  ['sendMs', 'Sending'],
  ['waitMs', 'Waiting for the server'],
] as const;

const Waterfall = ({ row }: { readonly row: RequestItem }): VNode => {
  const { from, span } = range.value;
  const { startedAt, durationMs = 0, ttfbMs = 0 } = row;
  const share = (ms: number): string => `${(ms / span) * 100}%`;
  return (
    <span class="waterfall" aria-hidden="true">
      <span
        class={`waterfall-bar waterfall-${findTone(row)}`}
        style={{ left: share(startedAt - from), width: `max(3px, ${share(durationMs)})` }}
      >
        <span
          class="waterfall-wait"
          style={{ width: `${durationMs > 0 ? Math.min(1, ttfbMs / durationMs) * 100 : 0}%` }}
        />
      </span>
    </span>
  );
};

const RequestLine = ({ row }: { readonly row: RequestItem }): VNode => (
  <>
    <span class={`request-status tone-${findTone(row)}`}>
      {row.status ?? (row.error === undefined ? '...' : 'failed')}
    </span>
    <span class="request-method">{row.method}</span>
    <span class="request-url mono">{shortenUrl(row.url)}</span>
    <span class="request-type">{row.resourceType}</span>
    <span class="cell-number">{formatBytes(row.transferred || row.size)}</span>
    <span class="cell-number">{row.durationMs === undefined ? '' : formatMs(row.durationMs)}</span>
    <Waterfall row={row} />
  </>
);

const Timing = ({ request }: { readonly request: RequestDetail }): VNode | null => {
  const { phases, durationMs = 0, ttfbMs = 0 } = request;
  if (!phases) return null;
  const download = Math.max(0, durationMs - ttfbMs);
  const parts: (readonly [string, number])[] = [
    ...PHASES.map(([name, title]) => [title, phases[name] ?? 0] as const),
    ['Receiving', download],
  ];
  const total = Math.max(
    1,
    parts.reduce((sum, [, ms]) => sum + ms, 0),
  );
  return (
    <section>
      <h3>Timing</h3>
      <ul class="timing">
        {parts
          .filter(([, ms]) => ms > 0)
          .map(([title, ms]) => (
            <li key={title}>
              <span class="timing-title">{title}</span>
              <span class="bar">
                <span class="bar-fill bar-busy" style={{ width: `${(ms / total) * 100}%` }} />
              </span>
              <span class="cell-number">{formatMs(ms)}</span>
            </li>
          ))}
      </ul>
    </section>
  );
};

const Headers = ({
  title,
  headers,
}: {
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
}): VNode => (
  <section>
    <h3>{title}</h3>
    <dl class="headers">
      {Object.entries(headers).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="mono">{value}</dd>
        </div>
      ))}
    </dl>
  </section>
);

const TextBlock = ({ title, text }: { readonly title: string; readonly text: string }): VNode => (
  <section>
    <h3>{title}</h3>
    <pre class="text" tabIndex={0}>
      {text}
    </pre>
  </section>
);

/** JSON with indentation, other texts unchanged. */
const formatBody = (text: string): string => {
  try {
    return formatJson(JSON.parse(text));
  } catch {
    return text;
  }
};

const CopyButton = ({ text }: { readonly text: string }): VNode => {
  const isCopied = useSignal(false);
  return (
    <button
      class="button"
      type="button"
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => (isCopied.value = true));
      }}
    >
      <Icon name="copy" /> {isCopied.value ? 'Copied' : 'Copy as curl'}
    </button>
  );
};

/** The body is loaded after the end of the request. */
const isRunning = ({ state, bodyNote }: RequestDetail): boolean =>
  state === 'pending' || state === 'receiving' || bodyNote === 'pending';

const RequestPane = ({
  tabId,
  requestKey,
}: {
  readonly tabId: string;
  readonly requestKey: string;
}): VNode => {
  const detail = useSignal<RequestDetail | undefined>(undefined);
  const problem = useSignal('');
  useEffect(() => {
    detail.value = undefined;
    problem.value = '';
    let isShown = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (loaded: RequestDetail): void => {
      if (!isShown) return;
      detail.value = loaded;
      if (isRunning(loaded)) timer = setTimeout(load, RUNNING_REFRESH_MS);
    };
    const load = (): void => {
      fetchJson<RequestDetail>('/dashboard/request', { tab: tabId, key: requestKey }).then(
        show,
        (error: Error) => (problem.value = error.message),
      );
    };
    load();
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [tabId, requestKey]);
  const request = detail.value;
  return (
    <DetailPane
      title={requestKey}
      onClose={() => (openedKey.value = undefined)}
      actions={request && <CopyButton text={request.curl} />}
    >
      {problem.value !== '' && <p class="notice notice-bad">{problem.value}</p>}
      {request && (
        <>
          <Facts>
            <Fact name="Status">
              <span class={`chip chip-${findTone(request)}`}>
                {request.error ?? request.status ?? request.state}
              </span>
            </Fact>
            <Fact name="Type">{request.contentType}</Fact>
            <Fact name="Size">{formatBytes(request.size)}</Fact>
            <Fact name="Duration">
              {request.durationMs === undefined ? '' : formatMs(request.durationMs)}
            </Fact>
            <Fact name="ClientEngine from">{request.from ?? ''}</Fact>
          </Facts>
          <TextBlock title="URL" text={request.url} />
          <Timing request={request} />
          {request.shape && (
            <TextBlock
              title="Shape"
              text={Object.entries(request.shape)
                .map(([path, type]) => `${path}: ${type}`)
                .join('\n')}
            />
          )}
          {request.body !== undefined && (
            <TextBlock title="Response" text={formatBody(request.body)} />
          )}
          {request.bodyNote !== undefined && <p class="hint">{request.bodyNote}</p>}
          {request.requestBody !== undefined && (
            <TextBlock title="Request body" text={formatBody(request.requestBody)} />
          )}
          {request.responseHeaders && (
            <Headers title="Response headers" headers={request.responseHeaders} />
          )}
          <Headers title="Request headers" headers={request.requestHeaders} />
          <TextBlock title="curl" text={request.curl} />
        </>
      )}
    </DetailPane>
  );
};

export const NetworkView = ({ isNarrow }: { readonly isNarrow: boolean }): VNode => {
  const tab = shownTab.value;
  const tabId = tab?.tabId;
  const marked = useSignal<string | undefined>(undefined);
  useEffect(() => {
    requests.value = [];
    harLink.value = '';
    openedKey.value = undefined;
    if (tabId === undefined) return undefined;
    const load = (): void => {
      fetchJson<RequestPage>('/dashboard/requests', { tab: tabId }).then(
        (loaded) => {
          requests.value = loaded.requests;
          harLink.value = loaded.har;
        },
        () => {}, // the tab was closed: the list of tabs changes
      );
    };
    load();
    const timer = setInterval(load, REFRESH_MS);
    return () => clearInterval(timer);
  }, [tabId]);
  if (!tab || tabId === undefined)
    return <div class="empty">No tabs are open. Their requests appear here.</div>;
  const opened = openedKey.value;
  return (
    <>
      <div class="toolbar">
        <select
          class="select select-wide"
          aria-label="Tab"
          value={tabId}
          onChange={({ currentTarget }) => (chosenTab.value = currentTarget.value)}
        >
          {tabs.value.map((one) => (
            <option key={one.tabId} value={one.tabId}>
              {one.session}: {one.title || shortenUrl(one.url)}
            </option>
          ))}
        </select>
        <SearchField label="Search requests" value={search} />
        <select
          class="select"
          aria-label="Range"
          value={scope.value}
          onChange={({ currentTarget }) =>
            (scope.value = currentTarget.value === 'all' ? 'all' : '')
          }
        >
          <option value="">This page</option>
          <option value="all">All pages</option>
        </select>
        {harLink.value !== '' && (
          <a class="button" href={harLink.value} download="openchrome.har">
            HAR
          </a>
        )}
        <span class="toolbar-note" role="status">
          {formatCounted(rows.value.length, 'request')}
          {rows.value.length > 0 && `, ${formatMs(range.value.span)}`}
        </span>
      </div>
      <div class={opened === undefined ? 'split' : 'split split-open'}>
        <VirtualList
          label="Requests in order of their start"
          items={rows.value}
          rowHeight={isNarrow ? 60 : 34}
          keyOf={(row) => row.key}
          selected={marked.value}
          onSelect={(row) => {
            marked.value = row.key;
            if (opened !== undefined) openedKey.value = row.key;
          }}
          onOpen={(row) => (openedKey.value = row.key)}
          render={(row) => <RequestLine row={row} />}
          empty={
            requests.value.length === 0
              ? 'This tab has made no requests yet.'
              : 'No request matches the search.'
          }
        />
        {opened !== undefined && <RequestPane tabId={tabId} requestKey={opened} />}
      </div>
    </>
  );
};
