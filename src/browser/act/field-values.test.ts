// When a field holds what was wanted, and when it does not: kind by kind.
import { describe, expect, it } from 'vitest';
import type { FieldKind, FieldValue } from '../../page/act/act-answers.ts';
import { isSameValue, parseSwitch, type WantedValue } from './field-values.ts';

describe('a field', () => {
  it.each<[FieldKind, WantedValue, FieldValue]>([
    ['text', 'Ada', 'Ada'],
    ['text', 'a\r\nb', 'a\nb'],
    ['text', 'one\ntwo', 'one two'],
    ['text', '0207946', '(020) 7946'],
    ['text', 'ab12', 'AB-12'],
    ['editor', 'one\ntwo', 'one\n\ntwo'],
    ['number', '4200.50', '4200.5'],
    ['number', 7, '7'],
    ['range', '70', '70'],
    ['date', '2031-03-04', '2031-03-04'],
    ['time', '14:30:00', '14:30'],
    ['datetime-local', '2031-03-04 09:15', '2031-03-04T09:15'],
    ['week', '2031-w07', '2031-W07'],
    ['color', '#AABBCC', '#aabbcc'],
    ['select', 'Norway', ['Norway\0no']],
    ['select', 'no', ['Norway\0no']],
    ['multiselect', ['b', 'A'], ['A\0a', 'B\0b']],
    ['multiselect', [], []],
    ['checkbox', true, true],
    ['checkbox', 'on', true],
    ['checkbox', 'no', false],
    ['file', '/home/ada/note.txt', ['note.txt']],
    ['file', 'C:\\notes\\note.txt', ['note.txt']],
    ['aria-choice', 'pear', 'Pear ×'],
  ])('of kind %s with the value %j equals %j', (kind, wanted, held) =>
    expect(isSameValue(kind, wanted, held)).toBe(true),
  );

  it.each<[FieldKind, WantedValue, FieldValue]>([
    ['text', 'Ada', ''],
    ['text', 'Ada', 'Bob'],
    ['text', '123456', '1234'],
    ['text', '-', '+'],
    ['number', 'many', ''],
    ['number', '', '0'],
    ['range', '71', '70'],
    ['date', '7 May 2031', ''],
    ['time', '14:30', '14:31'],
    ['select', 'Norway', ['Sweden\0se']],
    ['multiselect', ['A'], ['A\0a', 'B\0b']],
    ['checkbox', true, false],
    ['file', 'a.txt', []],
    ['aria-choice', 'Plum', 'Pear'],
  ])('of kind %s with the value %j does not equal %j', (kind, wanted, held) =>
    expect(isSameValue(kind, wanted, held)).toBe(false),
  );
});

it.each([
  [true, true],
  ['ON', true],
  ['unchecked', false],
  ['maybe', undefined],
  ['', undefined],
])('%j means the state %s', (wanted, state) => expect(parseSwitch(wanted)).toBe(state));
