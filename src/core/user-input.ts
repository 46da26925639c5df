// The input of a user who has taken a tab over. Types only.

/** Coordinates in CSS pixels of the viewport; modifiers: 1 Alt, 2 Control, 4 Meta, 8 Shift. */
export type UserInput =
  | {
      readonly type: 'pointer';
      readonly event: 'move' | 'down' | 'up';
      readonly x: number;
      readonly y: number;
      readonly button?: 'left' | 'middle' | 'right';
      readonly buttons?: number;
      readonly clickCount?: number;
      readonly modifiers?: number;
    }
  | {
      readonly type: 'wheel';
      readonly x: number;
      readonly y: number;
      readonly deltaX: number;
      readonly deltaY: number;
      readonly modifiers?: number;
    }
  | {
      readonly type: 'key';
      readonly event: 'down' | 'up';
      /** KeyboardEvent.key and .code */
      readonly key: string;
      readonly code: string;
      readonly modifiers?: number;
      readonly repeat?: boolean;
    }
  | { readonly type: 'text' | 'paste'; readonly text: string };
