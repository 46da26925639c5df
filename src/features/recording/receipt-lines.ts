// Renders the receipts in a tool's result as lines.
import { isObject } from '../../core/json.ts';
import { renderReceipt } from '../../render/receipt.ts';

type RecordedReceipt = Parameters<typeof renderReceipt>[0];

const MAX_LINES = 50;

export const renderReceiptLines = (data: unknown, here: string): string[] =>
  receiptsIn(data, 0)
    .slice(0, MAX_LINES)
    .map((receipt) => renderReceipt(receipt, here));

const receiptsIn = (data: unknown, depth: number): RecordedReceipt[] => {
  if (!isObject(data) || depth > 3) return [];
  if (isReceipt(data)) return [data];
  return Object.values(data).flatMap((value) => receiptsIn(value, depth + 1));
};

const isReceipt = (value: object): value is RecordedReceipt =>
  'did' in value && 'effects' in value && 'waitedMs' in value;
