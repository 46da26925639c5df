// Writes redacted log lines to stderr; stdout is reserved for the protocol.
import { createLogId } from './ids.ts';
import { textIf } from './text.ts';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Log {
  error(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  debug(message: string, data?: unknown): void;
  /** Logs an unexpected error in full and returns its log id. */
  defect(error: unknown): string;
}

interface LogOptions {
  readonly level: LogLevel;
  readonly redact?: (text: string) => string;
  readonly write?: (line: string) => void;
}

export const createLog = ({
  level,
  redact = (text) => text,
  write = (line) => process.stderr.write(line),
}: LogOptions): Log => {
  const threshold = LOG_LEVELS.indexOf(level);
  const line =
    (name: LogLevel) =>
    (message: string, data?: unknown): void => {
      if (LOG_LEVELS.indexOf(name) > threshold) return;
      const rest = textIf(data !== undefined, ` ${describe(data)}`);
      write(`${redact(oneLine(`openchrome ${name}: ${message}${rest}`))}\n`);
    };
  const error = line('error');
  return {
    error,
    warn: line('warn'),
    info: line('info'),
    debug: line('debug'),
    defect: (thrown) => {
      const id = createLogId();
      error(`[${id}] unexpected`, thrown);
      return id;
    },
  };
};

const describe = (data: unknown): string => {
  if (data instanceof Error) return data.stack ?? data.message;
  try {
    return typeof data === 'string' ? data : JSON.stringify(data);
  } catch {
    return String(data);
  }
};

/** Prevents a title or error message from adding log lines or terminal escape sequences. */
const oneLine = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replace(/\r?\n\s*/g, ' | ').replace(/[\u0000-\u001f\u007f-\u009f]/g, '?');
