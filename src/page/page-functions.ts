// The page functions that the engine calls, by page script. Both sides use this type. No DOM types.
import type {
  AtPoint,
  Chosen,
  FieldValue,
  FormEnd,
  FormItem,
  FormStop,
  FoundOption,
  LocatedElements,
  PageCondition,
  Point,
  PrepareOptions,
  Problem,
  Purpose,
  Ready,
  Scrolled,
  ObservedEffects,
  Settling,
  Spec,
  ThroughFrame,
  Waited,
  WatchedFocus,
} from './act/act-answers.ts';
import type {
  Alert,
  ElementArea,
  SecretArea,
  ReplayAnswer,
  ReplayRequest,
  Serialised,
} from './call-answers.ts';
import type {
  CssAnswer,
  DomAnswer,
  ElementFactAnswer,
  ExtractAnswer,
  HtmlAnswer,
  InertHtml,
  InspectAnswer,
  InspectSection,
  MarkdownAnswer,
  NoSubject,
  Subject,
  Suspicious,
  ValidateAnswer,
  Vitals,
} from './read-answers.ts';
import type { FindReply, FindSpec, FindWaited, WaitOptions } from './find/find-answers.ts';
import type {
  DatabaseNames,
  DatabasesAnswer,
  PageState,
  RestoreAnswer,
  RestoreRequest,
  SavedDatabase,
  StorageAnswer,
  StorageChange,
  StorageRequest,
} from './state-answers.ts';
import type { RecordedAnswer, RecordedElement } from './recorded/recorded-answers.ts';
import type { Locator } from './recorder/messages.ts';
import type { IdentifiedElement, WalkedElement, WalkOptions } from './walk-record.ts';

/** A node or window of the page: the engine gets a reference to it, not its content. */
export type PageObject = object;

/** Nested arrays of page objects and plain values. */
export type PageObjects = readonly unknown[];

/** The whole page is read without a subject. */
export interface SubjectOptions {
  readonly subject?: Subject | undefined;
}

export interface MarkdownRequest extends SubjectOptions {
  readonly urls: boolean;
  readonly maxChars: number;
  /** False if the caller does not need `wordsOutside`; it is then 0. */
  readonly countsWords?: boolean | undefined;
}

export interface OutlineRequest extends SubjectOptions {
  readonly depth?: number | undefined;
  readonly urls: boolean;
  /** Length limit of all lines. Lines are added level by level, from the top of the tree. */
  readonly maxChars: number;
}

export interface HtmlRequest extends SubjectOptions {
  /** Include the element's own tag. */
  readonly outer: boolean;
  readonly maxChars: number;
}

export interface ExtractRequest extends SubjectOptions {
  readonly multiple: boolean;
}

/** One fact about an element: its value, or one of its attributes. */
export interface ElementFactRequest extends SubjectOptions {
  /** The name of the attribute; the value is read if it is absent. */
  readonly attribute?: string | undefined;
  readonly maxChars: number;
}

export interface InspectRequest extends SubjectOptions {
  readonly sections: readonly InspectSection[];
}

/**
 * The key is the name of the entry file in camel case. Arguments and results are JSON, except page
 * objects; functions that take them are methods, because their parameters have DOM types in the
 * page.
 */
export interface PageFunctions {
  /** Reads a page. Installed in the isolated world of each document. */
  readonly main: {
    readonly walk: (options?: WalkOptions) => string | null;
    readonly warmUpWalk: () => Promise<number>;
    readonly takeRehearsed: () => PageObjects;
    readonly readAlerts: () => readonly Alert[];
    adoptRoots(...roots: PageObject[]): void;
    readonly takeClosedContent: () => PageObjects | undefined;
    readonly walkWithClosedContent: (options: WalkOptions) => string | null | PageObjects;
    readonly element: (id: number) => PageObject | null;
    readonly identify: (id: number) => IdentifiedElement | null;
    readonly select: (selector: string, limit: number) => readonly WalkedElement[];
    assignId(element: PageObject): number;
  };
  /** Acts, finds and draws. Installed in the isolated world when it is first needed. */
  readonly more: {
    readonly choose: (id: number, wanted: readonly string[]) => Chosen;
    readonly findOption: (id: number, wanted: string, maxMs: number) => Promise<FoundOption>;
    readonly readChoices: (id: number) => FieldValue | undefined;
    readonly isOpen: (id: number) => boolean;
    readonly pick: (id: number, value: string) => string;
    readonly offerCopy: (text: string) => void;
    readonly pasteByScript: (text: string) => boolean;
    readonly readClipboard: () => Promise<string | undefined>;
    readonly findTarget: (spec: Spec, purpose: Purpose) => LocatedElements | Problem;
    readonly prepare: (spec: Spec, options: PrepareOptions) => Promise<Ready | Problem>;
    readonly waitForChange: (maxMs: number) => Promise<void>;
    readonly scrollPosition: (id: number | undefined, axis: 'x' | 'y') => Scrolled;
    readonly scrollRest: (
      id: number | undefined,
      axis: 'x' | 'y',
      from: Point,
      startMs: number,
      maxMs: number,
    ) => Promise<Scrolled>;
    readonly waitUntilDrawn: () => Promise<void>;
    readonly mapThroughFrame: (id: number, inner: Point) => ThroughFrame;
    readonly beginWatch: () => number;
    readonly settleWatch: (
      id: number,
      how: Settling,
      maxMs: number,
      answered?: readonly string[],
      transitionsMs?: number,
    ) => Promise<ObservedEffects>;
    readonly endWatch: (id: number) => void;
    readonly watchFocused: () => WatchedFocus;
    readonly isTextShown: (text: string) => boolean;
    readonly waitFor: (condition: PageCondition, maxMs: number) => Promise<Waited>;
    readonly beginForm: (
      items: readonly FormItem[],
      watch: number,
      patienceMs: number,
    ) => Promise<FormStop | FormEnd>;
    readonly nextInForm: (awaitsInput: boolean) => Promise<FormStop | FormEnd> | undefined;
    readonly releaseForm: (item: number) => void;
    readonly atPoint: (point: Point) => AtPoint;
    readonly find: (spec: FindSpec) => FindReply;
    readonly findWait: (spec: FindSpec, options: WaitOptions) => Promise<FindWaited>;
    readonly findStop: (wait: number) => void;
    readonly measureArea: (id: number) => ElementArea | null;
    readonly clearMarks: () => void;
    readonly drawMarks: (refs: readonly (readonly [id: number, ref: string])[]) => void;
    readonly firstMatch: (selector: string) => number | null;
    readonly isScrolled: () => Point;
    readonly describeRecorded: (ids: readonly number[]) => readonly (RecordedElement | null)[];
    readonly findRecorded: (target: RecordedElement, patienceMs: number) => Promise<RecordedAnswer>;
  };
  readonly css: {
    readonly read: (options: SubjectOptions) => CssAnswer | NoSubject;
  };
  readonly domOutline: {
    readonly read: (options: OutlineRequest) => (DomAnswer & Suspicious) | NoSubject;
  };
  readonly extract: {
    readonly read: (options: ExtractRequest) => ExtractAnswer | NoSubject;
  };
  readonly html: {
    readonly read: (options: HtmlRequest) => HtmlAnswer | NoSubject;
    readonly readInert: (maxChars: number) => InertHtml;
  };
  readonly indexedDb: {
    readonly readNames: () => Promise<DatabaseNames>;
    readonly read: () => Promise<DatabasesAnswer>;
    readonly write: (databases: readonly SavedDatabase[]) => Promise<DatabasesAnswer['left']>;
  };
  readonly inspect: {
    readonly read: (options: InspectRequest) => InspectAnswer | NoSubject;
    readonly readFact: (options: ElementFactRequest) => ElementFactAnswer | NoSubject;
    readonly count: (selector: string) => number | null;
  };
  readonly markdown: {
    readonly read: (options: MarkdownRequest) => (MarkdownAnswer & Suspicious) | NoSubject;
  };
  readonly pageState: {
    readonly read: () => PageState;
    readonly readPasswords: () => readonly string[];
    readonly restore: (request: RestoreRequest) => Promise<RestoreAnswer>;
  };
  readonly recorder: {
    readonly findHovered: () => Locator | undefined;
    readonly readTitle: () => string;
    readonly stop: () => void;
  };
  readonly replay: {
    readonly send: (request: ReplayRequest) => Promise<ReplayAnswer>;
  };
  readonly serialise: {
    readonly serialise: (value: unknown, maxChars: number) => Serialised;
  };
  readonly storage: {
    readonly read: (request: StorageRequest) => StorageAnswer;
    readonly change: (change: StorageChange) => StorageAnswer;
  };
  readonly validate: {
    readonly read: () => Promise<ValidateAnswer>;
  };
  /** Watches a page for viewers. */
  readonly live: {
    readonly findSecretAreas: () => readonly SecretArea[];
    readonly watchTyping: () => void;
    readonly measureElement: (id: number) => ElementArea | null;
    readonly mapAreasThroughFrame: (
      owner: number,
      areas: readonly ElementArea[],
    ) => readonly ElementArea[];
  };
  readonly vitals: {
    readonly read: () => Vitals;
  };
}

export type PageScriptName = keyof PageFunctions;

/** The JavaScript expression of the object that contains the functions of a loaded page script. */
export const formatFunctions = (script: PageScriptName): string => `__oc_${script}.functions`;

type AnyFunction = (...args: never[]) => unknown;

type ParameterCount<Call> = Call extends AnyFunction ? Parameters<Call>['length'] : never;

/** `never` for a function that has other parameters than declared, or is not declared. */
type Implementation<Declared, Actual> = Declared & {
  readonly [Name in keyof Actual]: Name extends keyof Declared
    ? ParameterCount<Declared[Name]> extends ParameterCount<Actual[Name]>
      ? ParameterCount<Actual[Name]> extends ParameterCount<Declared[Name]>
        ? unknown
        : never
      : never
    : never;
};

/**
 * Checks the functions of an entry file at compile time. A plain type annotation would accept a
 * function with too few parameters.
 */
export const implement = <Name extends PageScriptName, Actual>(
  _script: Name,
  functions: Actual & Implementation<PageFunctions[Name], Actual>,
): PageFunctions[Name] => functions;
