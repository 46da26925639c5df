// Compares two field names by their words and by synonyms.

/** `priceCurrency`, `price-currency` and "Price currency:" are the same words, in the singular. */
export const splitWords = (name: string): string[] =>
  name
    .slice(0, 200)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(singular);

const singular = (word: string): string => {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word;
};

/** Synonyms: names that pages and schemas use for the same kind of value. */
const MEANINGS = {
  name: [
    'name',
    'title',
    'headline',
    'heading',
    'product name',
    'product title',
    'item name',
    'label',
    'og title',
    'twitter title',
    'full name',
    'company',
    'model',
  ],
  price: [
    'price',
    'cost',
    'amount',
    'low price',
    'sale price',
    'current price',
    'offer price',
    'price amount',
    'unit price',
    'final price',
    'offer price amount',
    'preis',
    'prix',
    'precio',
  ],
  currency: ['currency', 'price currency', 'currency code'],
  url: [
    'url',
    'link',
    'href',
    'permalink',
    'web page',
    'website',
    'product url',
    'canonical',
    'og url',
    'page url',
    'item url',
    'web site',
    'homepage',
  ],
  image: [
    'image',
    'img',
    'picture',
    'photo',
    'thumbnail',
    'thumbnail url',
    'image url',
    'og image',
    'image src',
    'cover',
    'avatar',
    'logo',
    'primary image',
  ],
  description: [
    'description',
    'summary',
    'abstract',
    'excerpt',
    'teaser',
    'snippet',
    'og description',
    'desc',
    'blurb',
    'about',
  ],
  body: ['body', 'article body', 'content', 'text', 'full text', 'review body', 'comment'],
  author: [
    'author',
    'byline',
    'creator',
    'writer',
    'by',
    'posted by',
    'article author',
    'author name',
    'user',
    'username',
  ],
  date: [
    'date',
    'published',
    'date published',
    'published date',
    'publish date',
    'publication date',
    'published at',
    'created',
    'date created',
    'created at',
    'posted',
    'posted on',
    'posted at',
    'upload date',
    'article published time',
    'time',
    'release date',
    'start date',
    'datum',
  ],
  modified: [
    'modified',
    'date modified',
    'updated',
    'updated at',
    'last updated',
    'article modified time',
    'last modified',
  ],
  rating: [
    'rating',
    'rating value',
    'star',
    'score',
    'average rating',
    'stars rating',
    'review rating',
  ],
  reviews: [
    'review count',
    'review',
    'rating count',
    'number of review',
    'num review',
    'review total',
    'vote',
    'comment count',
  ],
  brand: ['brand', 'manufacturer', 'brand name', 'make', 'vendor', 'hersteller'],
  sku: [
    'sku',
    'product id',
    'article number',
    'mpn',
    'item number',
    'product code',
    'part number',
    'gtin',
    'ean',
    'isbn',
  ],
  availability: ['availability', 'stock', 'in stock', 'available', 'stock status'],
  category: ['category', 'section', 'genre', 'topic', 'article section', 'type', 'kind'],
  tag: ['tag', 'keyword', 'article tag'],
  phone: ['phone', 'telephone', 'tel', 'phone number', 'telefon', 'mobile'],
  email: ['email', 'mail', 'e mail'],
  address: ['address', 'location', 'street address', 'place'],
  id: ['id', 'identifier', 'number', 'no', 'nr'],
} as const satisfies Record<string, readonly string[]>;

export type Meaning = keyof typeof MEANINGS;

const byName = new Map<string, Meaning>();
for (const [meaning, names] of Object.entries(MEANINGS))
  for (const name of names) if (!byName.has(name)) byName.set(name, meaning as Meaning);

export const findMeaning = (words: readonly string[]): Meaning | undefined =>
  byName.get(words.join(' ')) ?? byName.get(words.join(''));

/** From 0 (nothing in common) to 1 (the same). */
export const compareWords = (wanted: readonly string[], found: readonly string[]): number => {
  if (wanted.length === 0 || found.length === 0) return 0;
  if (wanted.join('') === found.join('')) return 1;
  const meaning = findMeaning(wanted);
  if (meaning !== undefined && meaning === findMeaning(found)) return 0.85;
  const common = wanted.filter((word) => found.includes(word)).length;
  // "price" in "regular price"
  if (common === wanted.length) return found.length - wanted.length <= 2 ? 0.75 : 0.55;
  // "name" for "product name"
  if (common === found.length && wanted.length - found.length <= 2) return 0.65;
  if (
    meaning !== undefined &&
    found.length <= 3 &&
    found.some((word) => byName.get(word) === meaning)
  )
    return 0.5;
  return common > 0 ? 0.3 * (common / Math.max(wanted.length, found.length)) : 0;
};
