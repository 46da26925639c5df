// Fits lines into a token budget: drops lines at the end and adds a line that counts them.
import { estimateTokens } from './tokens.ts';

const TRAILER_TOKENS = 15;

export const fitLines = (text: string, maxTokens: number): string => {
  if (estimateTokens(text) <= maxTokens) return text;
  const lines = text.split('\n');
  const kept: string[] = [];
  let left = maxTokens - TRAILER_TOKENS;
  for (const line of lines) {
    left -= estimateTokens(line) + 1;
    if (left < 0) break;
    kept.push(line);
  }
  return [
    ...kept,
    `… ${lines.length - kept.length} more lines; raise max_tokens or read a part`,
  ].join('\n');
};
