// Input as bare CDP commands: the fewest that a real click or a real fill takes.

/** The node that an expression in the page gives. */
export const nodeOf = async ({ send }, expression) => {
  const { result } = await send('Runtime.evaluate', { expression });
  const { node } = await send('DOM.describeNode', { objectId: result.objectId });
  return node.backendNodeId;
};

export const clickNode = async ({ send }, backendNodeId) => {
  await send('DOM.scrollIntoViewIfNeeded', { backendNodeId });
  const { quads } = await send('DOM.getContentQuads', { backendNodeId });
  const [left, top, , , right, bottom] = quads[0];
  const at = { x: (left + right) / 2, y: (top + bottom) / 2 };
  await send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...at });
  await send('Input.dispatchMouseEvent', {
    type: 'mousePressed',
    ...at,
    button: 'left',
    clickCount: 1,
  });
  await send('Input.dispatchMouseEvent', {
    type: 'mouseReleased',
    ...at,
    button: 'left',
    clickCount: 1,
  });
};

export const fillNode = async ({ send }, backendNodeId, text) => {
  const { object } = await send('DOM.resolveNode', { backendNodeId });
  await send('Runtime.callFunctionOn', {
    objectId: object.objectId,
    functionDeclaration: 'function () { this.focus(); this.select(); }',
  });
  await send('Input.insertText', { text });
};
