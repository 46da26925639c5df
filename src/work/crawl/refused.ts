// Why an address is no page of a crawl, though something led there.

export const REFUSALS = ['robots', 'scope', 'private', 'type'] as const;
/** `type`: pictures, films, archives and parts of pages, known by their names. */
export type Refusal = (typeof REFUSALS)[number];

export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(
    readonly reason: Refusal,
    readonly url: string,
  ) {
    super(`${url} is refused: ${reason}`);
  }
}
