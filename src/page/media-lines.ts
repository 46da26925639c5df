// Writes the lines of media: images, drawings, frames, canvases, video and audio.
import { createLookupTable } from './objects.ts';
import { attribute, attributeText, getRect, hasAttribute, query, queryAll } from './safe-dom.ts';
import { assignId, state } from './state.ts';
import { computeName } from './names.ts';
import { readFlags } from './attribute-flags.ts';
import { hasAuthorName } from './roles.ts';
import { getStyle } from './style.ts';
import { isArea, buildFingerprintKey, writeControl } from './control-lines.ts';
import { oneLine, shortLine } from './visible-text.ts';
import type { VisibleElement, Walker } from './walker.ts';

const MAX_ALT_CHARS = 500;
const MAX_FRAME_NAME_CHARS = 200;
const MIN_CANVAS_PX = 16;

export const writeMedium = (walker: Walker, shown: VisibleElement): void =>
  (WRITERS[shown.tag] ?? writeFrame)(walker, shown);

/** Writes an image with its name; if it reacts to clicks, as a control, even without a name. */
const writePicture = (walker: Walker, shown: VisibleElement, name: string): void => {
  const { out } = walker;
  const { element, tag } = shown;
  if (isArea(walker, shown)) {
    out.flush();
    out.push('control', {
      id: assignId(element),
      role: 'img',
      name,
      key: buildFingerprintKey(element, tag, '', shown.flags),
    });
    walker.controls.push(element);
  } else if (name !== '' && out.muted === 0) {
    out.flush();
    out.push('image', { name: shortLine(name, MAX_ALT_CHARS) });
  }
};

const writeImage = (walker: Walker, shown: VisibleElement): void => {
  const { element, tag, role } = shown;
  if (walker.out.muted === 0)
    writePicture(
      walker,
      shown,
      role === '' ? '' : computeName(element, tag, 'img', walker.known).text,
    );
  if (hasAttribute(element, 'usemap')) writeImageMap(walker, shown);
};

/**
 * Writes an element of any tag with the role img: its name replaces its content. Returns false if
 * it has no name.
 */
export const writeLabelledImage = (walker: Walker, shown: VisibleElement): boolean => {
  const { element, tag, flags } = shown;
  if (!hasAuthorName(element, flags)) return false;
  const name = computeName(element, tag, 'img', walker.known);
  if (name.text === '') return false;
  writePicture(walker, shown, name.text);
  walker.tellOnce(name.sources);
  return true;
};

const writeImageMap = (walker: Walker, shown: VisibleElement): void => {
  const name = (shown.element as HTMLImageElement).useMap.slice(1);
  const map = name && query(document, `map[name=${CSS.escape(name)}]`);
  if (!map) return;
  for (const element of queryAll(map, 'area[href]'))
    writeControl(
      walker,
      {
        ...shown,
        element,
        tag: 'area',
        role: 'link',
        style: getStyle(element),
        flags: readFlags(element),
      },
      'link',
    );
};

const DRAWN_CONTENT = 'text,a,foreignObject,[role],[tabindex]';

const writeDrawing = (walker: Walker, shown: VisibleElement): void => {
  writePicture(walker, shown, computeName(shown.element, 'svg', 'img', walker.known).text);
  // Most drawings are icons, so only those with text, links or roles are searched.
  if (walker.options.roles || query(shown.element, DRAWN_CONTENT)) walker.children(shown);
};

const formatSize = (element: Element): string => {
  const { width, height } = getRect(element);
  return `${Math.round(width)}x${Math.round(height)}`;
};

const writeCanvas = (walker: Walker, shown: VisibleElement): void => {
  const { element } = shown;
  const { width, height } = getRect(element);
  if (width >= MIN_CANVAS_PX && height >= MIN_CANVAS_PX) {
    walker.out.flush();
    const name = computeName(element, 'canvas', 'img', walker.known).text;
    walker.out.push('control', {
      id: assignId(element),
      role: 'canvas',
      name,
      states: formatSize(element),
    });
    walker.controls.push(element);
  }
  walker.children(shown);
};

const writePlayer = (walker: Walker, { element, tag }: VisibleElement): void => {
  const { controls, paused, muted } = element as HTMLMediaElement;
  if (tag === 'audio' && !controls) return;
  walker.out.flush();
  const states = [paused ? 'paused' : 'playing'];
  if (muted) states.push('muted');
  if (tag === 'video') states.push(formatSize(element));
  walker.out.push('control', {
    id: assignId(element),
    role: tag,
    name: computeName(element, tag, tag, walker.known).text,
    states: states.join(' '),
  });
  walker.controls.push(element);
};

/**
 * Writes a placeholder for the frame's document, which is walked separately. An object without a
 * document shows its children instead.
 */
const writeFrame = (walker: Walker, shown: VisibleElement): void => {
  const { element, tag } = shown;
  if (
    tag === 'object' &&
    !(element as HTMLObjectElement).contentDocument &&
    !hasAttribute(element, 'data')
  )
    return walker.children(shown);
  walker.out.flush();
  const name = oneLine(
    attribute(element, 'aria-label') ??
      attribute(element, 'title') ??
      attributeText(element, 'name'),
  );
  state.frames.push(element);
  walker.out.push('frame', {
    id: assignId(element),
    role: tag === 'frame' ? 'iframe' : tag,
    name: shortLine(name, MAX_FRAME_NAME_CHARS),
  });
};

const WRITERS = createLookupTable<(walker: Walker, shown: VisibleElement) => void>({
  img: writeImage,
  svg: writeDrawing,
  canvas: writeCanvas,
  video: writePlayer,
  audio: writePlayer,
});
