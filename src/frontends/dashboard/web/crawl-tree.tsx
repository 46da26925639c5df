// The pages of a crawl as a tree of their paths, coloured by status.
import type { VNode } from 'preact';
import type { CrawlPageRow } from '../messages.ts';

interface TreeNode {
  readonly name: string;
  readonly page: CrawlPageRow | undefined;
  readonly children: Map<string, TreeNode>;
}

const MAX_SHOWN = 1_000;

const createNode = (name: string, page?: CrawlPageRow): TreeNode => ({
  name,
  page,
  children: new Map(),
});

/** Hosts are the first level, then one level per part of the path. */
const buildTree = (pages: readonly CrawlPageRow[]): TreeNode => {
  const root = createNode('');
  for (const page of pages.slice(0, MAX_SHOWN)) {
    const parts = splitUrl(page.url);
    let node = root;
    for (const [index, part] of parts.entries()) {
      const isLast = index === parts.length - 1;
      const known = node.children.get(part);
      const next: TreeNode = known ?? createNode(part);
      node.children.set(part, isLast ? { ...next, page } : next);
      node = node.children.get(part) ?? next;
    }
  }
  return root;
};

const splitUrl = (url: string): string[] => {
  if (!URL.canParse(url)) return [url];
  const { host, pathname, search } = new URL(url);
  const parts = pathname.split('/').filter((part) => part !== '');
  const last = parts.pop();
  return [host, ...parts, ...(last === undefined ? [] : [`${last}${search}`])];
};

const findTone = ({ status, error }: CrawlPageRow): string => {
  if (error !== undefined || (status ?? 0) >= 500) return 'bad';
  if ((status ?? 0) >= 400) return 'warn';
  return (status ?? 0) >= 300 ? 'busy' : 'good';
};

const describePage = ({ status, error }: CrawlPageRow): string => error ?? String(status ?? 'ok');

const Branch = ({ node }: { readonly node: TreeNode }): VNode => {
  const { name, page, children } = node;
  return (
    <li>
      <span class="tree-line">
        <span class={`dot dot-${page ? findTone(page) : 'quiet'}`} aria-hidden="true" />
        <span class="mono tree-name">{name}</span>
        {page && (
          <>
            <span class={`tree-status tone-${findTone(page)}`}>{describePage(page)}</span>
            <span class="tree-title">{page.title}</span>
          </>
        )}
      </span>
      {children.size > 0 && (
        <ul>
          {[...children.values()].map((child) => (
            <Branch key={child.name} node={child} />
          ))}
        </ul>
      )}
    </li>
  );
};

export const CrawlTree = ({ pages }: { readonly pages: readonly CrawlPageRow[] }): VNode => (
  <ul class="tree">
    {[...buildTree(pages).children.values()].map((node) => (
      <Branch key={node.name} node={node} />
    ))}
  </ul>
);
