// Roles and names of the public test cases of web-platform-tests, in the lines of a read.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { everyNode, type WalkedNode } from '../../src/browser/read/decode.ts';
import { inPage } from '../../src/browser/tabs/in-page.ts';
import { useReader } from './reader.ts';

const reader = useReader();
const FOLDER = new URL('../fixtures/public-cases/', import.meta.url);
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.html'));

/** Replaces the scripts of the test suite: marks the elements of all cases. */
const MARK_CASES = `<script>
  const expectRoles = (selector, roles) => {
    for (const element of document.querySelectorAll(selector))
      element.dataset.expectedrole ??= roles;
  };
  const AriaUtils = {
    assignAndVerifyRolesByRoleNames(roles) {
      for (const role of roles) {
        const element = document.createElement('div');
        element.append('x');
        element.setAttribute('role', role);
        element.dataset.expectedrole = role;
        document.body.append(element);
      }
    },
    verifyRolesBySelector() {},
    verifyLabelsBySelector() {},
    verifyRolesAndLabelsBySelector() {},
    verifyRoleOrVariantRolesBySelector: (selector, roles) => expectRoles(selector, roles.join()),
    verifyGenericRolesBySelector: (selector) => expectRoles(selector, 'generic'),
  };
  const promise_test = () => {};
  const setup = () => {};
</script>`;

const CASES = '[data-expectedlabel],[data-expectedrole]';

interface PublicCase {
  readonly html: string;
  readonly name: string | null;
  readonly role: string | null;
  readonly inPage: { readonly id: number; readonly role: string; readonly name: string };
  readonly chrome: { readonly role: string; readonly name: string };
}

const openFile = async (file: string): Promise<void> => {
  const html = readFileSync(new URL(file, FOLDER), 'utf8')
    .replace(/<script src=[^>]*><\/script>/g, '')
    .replace(/<head>/, `<head><meta charset=utf-8>${MARK_CASES}`);
  await reader.goto(reader.site.page(`/${file}`, html));
};

const oneLine = (text = ''): string => text.replace(/\s+/g, ' ').trim();

const readCases = async (): Promise<PublicCase[]> => {
  const { main } = reader.tab.frames;
  const found = await main.call(inPage.main.select, [CASES, 1000], reader.signal);
  const { cdp } = reader.tab;
  const { result } = await cdp.send('Runtime.evaluate', {
    expression: `[...document.querySelectorAll('${CASES}')]`,
  });
  const { result: items } = await cdp.send('Runtime.getProperties', {
    objectId: result.objectId ?? '',
    ownProperties: true,
  });
  const elements = items.filter(({ name }) => /^\d+$/.test(name));
  const cases = await reader.run<Pick<PublicCase, 'html' | 'name' | 'role'>[]>(
    `[...document.querySelectorAll('${CASES}')].map((element, i) => (element.dataset.case = i, {
      html: element.cloneNode().outerHTML,
      name: element.dataset.expectedlabel ?? null,
      role: element.dataset.expectedrole ?? null,
    }))`,
  );
  expect(found).toHaveLength(cases.length);
  return Promise.all(
    cases.map(async (one, i) => {
      const { nodes } = await cdp.send('Accessibility.getPartialAXTree', {
        objectId: elements[i]?.value?.objectId ?? '',
        fetchRelatives: false,
      });
      const chrome = {
        role: String(nodes[0]?.role?.value ?? ''),
        name: oneLine(nodes[0]?.name?.value as string | undefined),
      };
      return { ...one, inPage: found[i] as PublicCase['inPage'], chrome };
    }),
  );
};

const WITHOUT_ROLE = new Set(['', 'generic', 'none']);
/** Names of the test suite for roles that lines name differently. */
const SYNONYMS: Readonly<Record<string, string>> = {
  image: 'img',
  presentation: 'none',
  directory: 'list',
};
const normalise = (role: string): string => {
  const known = SYNONYMS[role] ?? role;
  return WITHOUT_ROLE.has(known) ? '' : known;
};
const WITHOUT_ID = new Set(['heading', 'image', 'note']);

/** The role of a line, '' if the element has no line. */
const roleOfLine = (line: WalkedNode | undefined): string => {
  if (line?.kind === 'heading') return 'heading';
  if (line?.kind === 'image') return 'img';
  return line?.role ?? '';
};

/** The line of each case: by its id, else the first line of a read of this element alone. */
const findLines = async (
  cases: readonly PublicCase[],
  roles: boolean,
): Promise<(WalkedNode | undefined)[]> => {
  const { nodes } = await reader.snapshot({ roles });
  const byId = new Map(everyNode(nodes).map((node) => [node.id, node]));
  const lines: (WalkedNode | undefined)[] = [];
  for (const [i, one] of cases.entries()) {
    const line = byId.get(one.inPage.id);
    if (line && line.kind !== 'item') {
      lines.push(line);
      continue;
    }
    const part = await reader.snapshot({ roles, selector: `[data-case="${i}"]` });
    const [first] = part.nodes;
    lines.push(first && WITHOUT_ID.has(first.kind) ? first : undefined);
  }
  return lines;
};

interface Score {
  right: number;
  total: number;
  misses: string[];
}
const count = (score: Score, isRight: boolean, miss: string): void => {
  score.total++;
  if (isRight) score.right++;
  else score.misses.push(miss);
};
const newScore = (): Score => ({ right: 0, total: 0, misses: [] });

describe('The lines of a read have the roles and names of the public test cases', () => {
  it('for nearly all cases that Chrome gets right', async () => {
    const scores = {
      roles: newScore(),
      names: newScore(),
      computed: newScore(),
      short: newScore(),
    };
    for (const file of FILES) {
      await openFile(file);
      const cases = await readCases();
      const [all, short] = [await findLines(cases, true), await findLines(cases, false)];
      for (const [i, one] of cases.entries()) {
        const at = `${file}: ${one.html}`;
        const wanted = one.role?.split(',').map(normalise);
        if (wanted?.includes(normalise(one.chrome.role))) {
          const [role, shortRole] = [roleOfLine(all[i]), roleOfLine(short[i])];
          count(scores.roles, wanted.includes(role), `${at} -> ${role}`);
          count(scores.short, wanted.includes(shortRole), `${at} -> ${shortRole}`);
        }
        if (one.name === null || oneLine(one.name) !== one.chrome.name) continue;
        const name = oneLine(all[i]?.name);
        count(scores.names, name === one.chrome.name, `${at} -> "${name}"`);
        count(scores.computed, one.inPage.name === one.chrome.name, `${at} -> ${one.inPage.name}`);
      }
    }
    const { roles, names, computed, short } = scores;
    expect.soft(roles.right / roles.total, roles.misses.join('\n')).toBeGreaterThan(0.93);
    expect.soft(names.right / names.total, names.misses.join('\n')).toBeGreaterThan(0.987);
    expect.soft(computed.right / computed.total, computed.misses.join('\n')).toBeGreaterThan(0.99);
    expect.soft(short.right / short.total, short.misses.join('\n')).toBeGreaterThan(0.63);
    expect([roles.total > 370, names.total > 590]).toEqual([true, true]);
  });
});
