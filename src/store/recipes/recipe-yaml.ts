// Reads and writes YAML; imported on demand, because the library is large.
import { parse, stringify } from 'yaml';

/** Aliases are rejected: they would let a small file expand to a large value. */
export const parseYaml = (text: string): unknown => parse(text, { maxAliasCount: 0 });

export const formatYaml = (value: object): string => stringify(value, { lineWidth: 100 });
