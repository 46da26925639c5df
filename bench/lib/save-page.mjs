// A page as one file of its own: what it shows after its scripts have run, with the styles that
// apply and nothing from outside.

/** Runs in the page. Changes the page, which is thrown away afterwards. */
function freeze() {
  const sized = ({ width, height }) =>
    `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='${Math.round(width)}' height='${Math.round(height)}'/%3E`;
  const noUrls = (css) => css.replace(/url\((?:"[^"]*"|'[^']*'|[^)]*)\)/g, 'none');

  /** Whether a rule could apply to anything here, whatever its state. */
  const matches = (selectorText) => {
    const anyState = selectorText.replace(/::?[\w-]+(\((?:[^()]|\([^()]*\))*\))?/g, (pseudo) =>
      pseudo === ':root' ? pseudo : '',
    );
    return anyState.split(',').some((selector) => {
      try {
        return (
          selector.trim() === '' ||
          /[>+~]\s*$/.test(selector) ||
          document.querySelector(selector) !== null
        );
      } catch {
        return true;
      }
    });
  };
  const IDLE = /^(?:transition|animation|will-change|box-shadow|text-shadow|filter|-webkit-tap)/;
  const declarations = ({ style }) =>
    [...style]
      .filter((property) => !IDLE.test(property))
      .map(
        (property) =>
          `${property}:${noUrls(style.getPropertyValue(property))}${style.getPropertyPriority(property) && '!important'}`,
      )
      .join(';');
  // Shorthands hold variables that the single properties lose: then the rule's own text is kept.
  const body = (rule) =>
    /var\(/.test(rule.cssText)
      ? noUrls(/\{([\s\S]*)\}/.exec(rule.cssText)[1]).trim()
      : declarations(rule);
  const ruleText = (rule) => {
    if (rule instanceof CSSStyleRule) {
      if (!matches(rule.selectorText)) return '';
      const text = body(rule);
      return text && `${rule.selectorText}{${text}}\n`;
    }
    if (rule instanceof CSSMediaRule)
      return matchMedia(rule.conditionText).matches ? rulesText(rule.cssRules) : '';
    if (rule instanceof CSSSupportsRule)
      return CSS.supports(rule.conditionText) ? rulesText(rule.cssRules) : '';
    if (rule instanceof CSSImportRule) return rule.styleSheet ? sheetText(rule.styleSheet) : '';
    if (rule instanceof CSSLayerBlockRule)
      return `@layer ${rule.name}{${rulesText(rule.cssRules)}}\n`;
    if (rule instanceof CSSLayerStatementRule) return rule.cssText;
    return ''; // fonts, animations, print
  };
  const rulesText = (rules) => [...rules].map(ruleText).join('');
  const sheetText = (sheet) => {
    if (sheet.disabled || !matchMedia(sheet.media.mediaText || 'all').matches) return '';
    try {
      return rulesText(sheet.cssRules);
    } catch {
      return ''; // from elsewhere, and not loaded
    }
  };
  const css = [...document.styleSheets].map(sheetText).join('');

  const used = new Set(
    [...(css + document.documentElement.outerHTML).matchAll(/var\(\s*(--[\w-]+)/g)].map(
      ([, name]) => name,
    ),
  );
  const withoutIdleVariables = css.replace(/(--[\w-]+)\s*:[^;{}]*;?/g, (all, name) =>
    used.has(name) ? all : '',
  );

  for (const field of document.querySelectorAll('input, textarea, option')) {
    if (field.tagName === 'OPTION') field.toggleAttribute('selected', field.selected);
    else if (field.tagName === 'TEXTAREA') field.textContent = field.value;
    else if (/^(?:checkbox|radio)$/.test(field.type))
      field.toggleAttribute('checked', field.checked);
    else if (field.value && field.type !== 'file') field.setAttribute('value', field.value);
  }
  for (const image of document.images) {
    const box = image.getBoundingClientRect();
    image.setAttribute(
      'src',
      sized(box.width ? box : { width: image.naturalWidth, height: image.naturalHeight }),
    );
  }
  for (const element of document.querySelectorAll(
    'script, noscript, link, style, meta, template, base, source, track',
  ))
    element.remove();
  for (const element of document.querySelectorAll('*')) {
    for (const name of ['srcset', 'poster', 'data-src', 'integrity', 'crossorigin'])
      element.removeAttribute(name);
    if (element.tagName !== 'IMG' && element.tagName !== 'INPUT') element.removeAttribute('src');
    const style = element.getAttribute('style');
    if (style?.includes('url(')) element.setAttribute('style', noUrls(style));
    for (const { name, value } of [...element.attributes])
      if (value.length > 2_000 && !/^(?:d|points)$/.test(name)) element.removeAttribute(name);
  }
  const comments = document.createNodeIterator(document, NodeFilter.SHOW_COMMENT);
  for (let comment; (comment = comments.nextNode());) comment.remove();

  const head = `<meta charset="utf-8">\n<style>\n${withoutIdleVariables}</style>\n`;
  document.head.insertAdjacentHTML('afterbegin', 'HEAD-OF-THE-SAVED-PAGE');
  const doctype = document.compatMode === 'CSS1Compat' ? '<!doctype html>\n' : '';
  return (
    doctype +
    document.documentElement.outerHTML
      .replace('HEAD-OF-THE-SAVED-PAGE', () => head)
      .replaceAll(location.origin, '')
      .replace(/\n\s*\n/g, '\n')
  );
}

/**
 * The page that a raw Chrome stands on, as one HTML text. `prepare` is code that runs in it first,
 * such as a click that opens something.
 */
export const savePage = async (chrome, prepare = '') => {
  if (prepare) await chrome.evaluate(prepare);
  return chrome.evaluate(`(${String(freeze)})()`);
};
