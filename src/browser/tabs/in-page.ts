// ReferenceArguments to the functions of the page scripts, typed by page/page-functions.ts.
import type { Protocol } from 'devtools-protocol';
import {
  formatFunctions,
  type PageFunctions,
  type PageScriptName,
} from '../../page/page-functions.ts';
import type { CdpSession } from '../cdp/connection.ts';

/** A function of a page script. `signature` exists only in the type. */
export interface PageFunction<Args extends readonly unknown[] = never, Result = unknown> {
  readonly script: PageScriptName;
  readonly name: string;
  readonly signature?: (...args: Args) => Result;
}

type ReferenceArguments<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (...args: infer Args) => infer Result
    ? PageFunction<Args, Awaited<Result>>
    : never;
};

/** Loaded on first use, so that the scripts do not delay the server start. */
const SOURCES: Readonly<Record<PageScriptName, () => Promise<{ readonly default: string }>>> = {
  main: () => import('page-script:main'),
  more: () => import('page-script:more'),
  css: () => import('page-script:css'),
  domOutline: () => import('page-script:dom-outline'),
  extract: () => import('page-script:extract'),
  html: () => import('page-script:html'),
  indexedDb: () => import('page-script:indexed-db'),
  live: () => import('page-script:live'),
  inspect: () => import('page-script:inspect'),
  markdown: () => import('page-script:markdown'),
  pageState: () => import('page-script:page-state'),
  recorder: () => import('page-script:recorder'),
  replay: () => import('page-script:replay'),
  serialise: () => import('page-script:serialise'),
  storage: () => import('page-script:storage'),
  validate: () => import('page-script:validate'),
  vitals: () => import('page-script:vitals'),
};

export const loadPageScript = async (script: PageScriptName): Promise<string> =>
  (await SOURCES[script]()).default;

/** Creates each reference on first access, because the names exist only in the type. */
const refer = <Name extends PageScriptName>(
  script: Name,
): ReferenceArguments<PageFunctions[Name]> => {
  const known: Record<string, PageFunction> = {};
  const get = (_: object, name: string): PageFunction => (known[name] ??= { script, name });
  return new Proxy(known, { get }) as ReferenceArguments<PageFunctions[Name]>;
};

type InPage = { readonly [Name in PageScriptName]: ReferenceArguments<PageFunctions[Name]> };

/** The page functions by script, for `Frame.call`. */
export const inPage = Object.fromEntries(
  Object.keys(SOURCES).map((script) => [script, refer(script as PageScriptName)]),
) as InPage;

/** Formats the call of a page function as JavaScript; the script must be loaded. */
export const formatCall = <Args extends readonly unknown[]>(
  { script, name }: PageFunction<Args>,
  args: NoInfer<Args>,
): string => {
  const list = args.map((arg) => JSON.stringify(arg) ?? 'undefined').join(',');
  return `${formatFunctions(script)}.${name}(${list})`;
};

/** The result of a page function, or the exception that it threw. */
type ObjectAnswer<Result> =
  | { readonly value: Result; readonly exceptionDetails?: undefined }
  | { readonly exceptionDetails: Protocol.Runtime.ExceptionDetails };

/** Calls a page function in the world of an object, with the object as its first argument. */
export const callOnObject = async <Args extends readonly unknown[], Result>(
  session: CdpSession,
  objectId: string,
  { script, name }: PageFunction<[object: unknown, ...Args], Result>,
  args: NoInfer<Args>,
  signal: AbortSignal,
): Promise<ObjectAnswer<Result>> => {
  const code = `return ${formatFunctions(script)}.${name}(this,...arguments)`;
  const { result, exceptionDetails } = await session.send(
    'Runtime.callFunctionOn',
    {
      objectId,
      // A rest parameter would forbid the strict mode of the script.
      functionDeclaration: `function(){${await loadPageScript(script)};${code}}`,
      arguments: args.map((value) => ({ value })),
      returnByValue: true,
    },
    signal,
  );
  return exceptionDetails ? { exceptionDetails } : { value: result.value as Result };
};
