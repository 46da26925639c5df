// The book of refs: never given twice, kept within bounds, the oldest documents forgotten first.
import { describe, expect, it } from 'vitest';
import { RefBook } from './ref-book.ts';

const page = { id: 'frame', loaderId: 'first' };
const button = { role: 'button', name: 'Go', fingerprint: 'a', beside: '' };

describe('The refs of a tab', () => {
  it('are counted, and an element keeps its own', () => {
    const book = new RefBook();
    expect([
      book.refOf(page, 7, button),
      book.refOf(page, 8, button),
      book.refOf(page, 7, button),
    ]).toEqual(['e1', 'e2', 'e1']);
    expect(book.given(8)).toBe('e2');
    expect(book.refOfRange(page, { skip: 0 })).toBe('e3');
  });

  it('remember what their element last was', () => {
    const book = new RefBook();
    const ref = book.refOf(page, 7, { ...button, key: '#go' });
    book.refOf(page, 7, { role: 'button', name: 'Stop', fingerprint: 'b', beside: 'Ada' });
    expect(book.find(ref)).toMatchObject({
      name: 'Stop',
      key: '#go',
      fingerprint: 'b',
      beside: 'Ada',
    });
  });

  it('are never reused, also after they are forgotten', () => {
    const book = new RefBook();
    const old = book.refOf({ id: 'frame', loaderId: 'old' }, 1, button);
    const first = book.refOf(page, 2, button);
    for (let id = 3; id < 100_010; id++) book.refOf(page, id, button);
    expect(book.find(old)).toBeUndefined();
    expect(book.hasGiven(old)).toBe(true);
    expect(book.hasGiven('e999999')).toBe(false);
    expect(book.refOf(page, 1_000_000, button)).toBe('e100010');
    expect(book.given(2) === undefined || book.given(2) === first).toBe(true);
  });
});
