// Compile-time checks of the calls of page functions; `npm run types` reports an unused directive.
import { expect, it } from 'vitest';
import { formatCall, inPage } from './in-page.ts';

it('formats the call of a page function with JSON arguments', () => {
  expect(formatCall(inPage.main.walk, [{ selector: '"</script>' }])).toBe(
    String.raw`__oc_main.functions.walk({"selector":"\"</script>"})`,
  );
  expect(formatCall(inPage.more.scrollPosition, [undefined, 'y'])).toBe(
    '__oc_more.functions.scrollPosition(undefined,"y")',
  );
});

it('does not compile with an unknown function or with other arguments than declared', () => {
  const calls = [
    // @ts-expect-error a function that is not declared
    () => inPage.main.walkAll,
    // @ts-expect-error a function of another script
    () => inPage.main.prepare,
    // @ts-expect-error an argument of another type
    () => formatCall(inPage.main.identify, ['1']),
    // @ts-expect-error a missing argument
    () => formatCall(inPage.main.identify, []),
    // @ts-expect-error too many arguments
    () => formatCall(inPage.main.identify, [1, 2]),
    // @ts-expect-error an unknown option
    () => formatCall(inPage.main.walk, [{ interactive: true }]),
  ];
  expect(calls).toHaveLength(6);
});
