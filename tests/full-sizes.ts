// Whether texts and pages have their full sizes: in `npm run test:security`. Smaller sizes are
// enough for `npm test` if they exceed the same limits of the product.
export const HAS_FULL_SIZES = process.env['OPENCHROME_TEST_SIZES'] === 'full';
