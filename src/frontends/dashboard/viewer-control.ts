// Lets viewers take tabs over: connects the live feed with the take-over of the engine.
import { fail } from '../../core/failure.ts';
import { getOwn, isRecord } from '../../core/json.ts';
import type { UserInput } from '../../core/user-input.ts';
import type { TakeOver, TakeOverState } from '../../features/consent/take-over.ts';
import type { ViewerControl } from './live-feed.ts';
import type { LiveMessage } from './messages.ts';

/** Taking a tab over waits for the action that runs in it. */
const BEGIN_MS = 60_000;
const INPUT_MS = 10_000;
const MAX_TEXT_CHARS = 100_000;

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);

const isText = (value: unknown, chars: number): boolean =>
  typeof value === 'string' && value.length <= chars;

type InputFields = Readonly<Record<string, unknown>>;

const INPUT_CHECKS: Readonly<Record<string, (input: InputFields) => boolean>> = {
  pointer: ({ x, y, event }) =>
    isNumber(x) && isNumber(y) && ['move', 'down', 'up'].includes(String(event)),
  wheel: ({ x, y, deltaX, deltaY }) => [x, y, deltaX, deltaY].every(isNumber),
  key: ({ key, code, event }) =>
    isText(key, 40) && isText(code, 40) && ['down', 'up'].includes(String(event)),
  text: ({ text }) => isText(text, MAX_TEXT_CHARS),
  paste: ({ text }) => isText(text, MAX_TEXT_CHARS),
};

const isInput = (given: unknown): given is UserInput =>
  isRecord(given) && getOwn(INPUT_CHECKS, String(given['type']))?.(given) === true;

/** Throws if the message of a viewer is not a valid input. */
const parseInput = (given: unknown): UserInput => {
  if (isInput(given)) return given;
  throw fail('bad_request', 'The input is not valid.');
};

const toMessage = ({ tabId, viewer, active, chooser }: TakeOverState): LiveMessage => ({
  type: 'control',
  tabId,
  viewer,
  state: active ? 'active' : 'pending',
  ...(chooser && { chooser }),
});

export interface ConnectedControl extends ViewerControl, Disposable {}

/** `broadcast` sends a message to all viewers. */
export const createViewerControl = (
  takeOver: TakeOver,
  broadcast: (message: LiveMessage) => void,
): ConnectedControl => {
  const off = [
    takeOver.events.on('changed', (state) => broadcast(toMessage(state))),
    takeOver.events.on('ended', ({ tabId, viewer, why }) =>
      broadcast({ type: 'control', tabId, viewer, state: 'ended', why }),
    ),
  ];
  return {
    takeOver: async (viewer, tabId) => {
      await takeOver.begin(tabId, viewer, AbortSignal.timeout(BEGIN_MS));
    },
    giveBack: (viewer, tabId) => takeOver.giveBack(tabId, viewer),
    input: (viewer, tabId, input) =>
      takeOver.input(tabId, viewer, parseInput(input), AbortSignal.timeout(INPUT_MS)),
    chooseFiles: (viewer, tabId, files) =>
      takeOver.chooseFiles(tabId, viewer, files, AbortSignal.timeout(INPUT_MS)),
    describe: () => takeOver.list().map(toMessage),
    disconnect: (viewer) => void takeOver.disconnect(viewer),
    [Symbol.dispose]: () => {
      for (const unsubscribe of off) unsubscribe();
    },
  };
};
