// Finds the fields with secrets that a page shows, so that pictures of it can hide them.
import type { ElementArea } from '../call-answers.ts';
import { implement } from '../page-functions.ts';
import { isSecretField } from '../recorder/send.ts';
import { queryAll } from '../safe-dom.ts';
import { trees } from '../shadow.ts';

const FIELDS = 'input, textarea';
const MAX_AREAS = 50;
/** Pages can have very many fields; pictures show only a few. */
const MAX_FIELDS = 2_000;

/** Fields that once were password fields stay secret when the page reveals their text. */
const once = new WeakSet<Element>();

const isSecret = (field: Element): boolean => {
  if (isSecretField(field)) once.add(field);
  return once.has(field);
};

/** Hidden fields that pages with many forms contain are skipped before their area is measured. */
const isText = (field: Element): boolean =>
  !(field instanceof HTMLInputElement) || !['hidden', 'submit', 'button'].includes(field.type);

const measure = (field: Element): ElementArea => {
  const { x, y, width, height } = field.getBoundingClientRect();
  return { x, y, width, height };
};

const isInView = ({ x, y, width, height }: ElementArea): boolean =>
  width > 0 && height > 0 && x < innerWidth && y < innerHeight && x + width > 0 && y + height > 0;

const findSecretAreas = (): ElementArea[] =>
  trees()
    .flatMap((tree) => [...queryAll(tree, FIELDS)].slice(0, MAX_FIELDS))
    .filter((field) => isText(field) && isSecret(field))
    .map(measure)
    .filter(isInView)
    .slice(0, MAX_AREAS);

export const functions = implement('live', { findSecretAreas });
