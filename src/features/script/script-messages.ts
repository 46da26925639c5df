// The messages between the engine and the thread that runs a script, and the limits of both.
import type { MessagePort } from 'node:worker_threads';

/** Memory of the script's JavaScript engine. */
export const SCRIPT_MEMORY_BYTES = 64 * 1024 * 1024;
/** Time that the script may compute; waiting for calls does not count. */
export const SCRIPT_CPU_MS = 5_000;
/**
 * QuickJS cannot interrupt its built-in functions, so a thread that computes for longer than this
 * is terminated.
 */
export const MAX_COMPUTING_MS = 2 * SCRIPT_CPU_MS;
/** Size of a returned value, which the main thread parses. */
export const MAX_VALUE_CHARS = 4_000_000;
/** Size of the arguments of one call. */
export const MAX_ARGUMENT_CHARS = 1_000_000;
export const MAX_SLEEPS = 10_000;
export const MAX_LOG_LINES = 50;
export const MAX_LOG_CHARS = 500;

/** Makes the thread create the sandbox of its first script before this script is known. */
export interface PrepareOrder {
  readonly kind: 'prepare';
  /** The path of QuickJS's WebAssembly code. */
  readonly quickjsFile: string;
}

/** The order for the thread: one script. */
export interface ScriptOrder extends Omit<PrepareOrder, 'kind'> {
  readonly kind: 'run';
  /** The names of the functions to define. */
  readonly tools: readonly string[];
  readonly code: string;
  /** The value of `args` as JSON. */
  readonly args: string;
  readonly maxCalls: number;
  /** Carries the messages below, in both directions, while the script runs. */
  readonly port: MessagePort;
}

/** From the thread. `args` is JSON. */
export type ScriptRequest =
  /** The first message: the script starts to compute. */
  | { readonly kind: 'start' }
  | {
      readonly kind: 'call';
      readonly id: number;
      readonly tool: string;
      readonly args: string;
      readonly line: number | undefined;
    }
  | { readonly kind: 'sleep'; readonly id: number; readonly ms: number }
  | { readonly kind: 'log'; readonly text: string }
  /** The last message on this port: the message with the end may overtake it. */
  | { readonly kind: 'end' };

/** To the thread: the result of a call as JSON, or its failure as JSON. */
export interface ScriptDelivery {
  readonly id: number;
  readonly ok: boolean;
  readonly text: string;
}

export type ScriptLimit = 'cpu' | 'memory' | 'stack' | 'value' | 'crash';

/** The last message of the thread. */
export type ScriptEnd = {
  /** Number of calls of `log`. */
  readonly logged: number;
  /** The thread must not run another script. */
  readonly retire: boolean;
} & (
  | { readonly end: 'returned'; readonly text: string }
  | {
      readonly end: 'thrown';
      readonly message: string;
      readonly line: number | undefined;
      /** The failed call whose error was thrown. */
      readonly callId: number | undefined;
      /** The error that was thrown is a limit of the script. */
      readonly isLimit: boolean;
    }
  | { readonly end: 'limit'; readonly limit: ScriptLimit }
);
