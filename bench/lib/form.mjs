// The form of 40 fields: one list from which the page, the answers of whoever fills it and the
// verdict are made.
const COUNTRIES =
  'Argentina Australia Austria Belgium Brazil Canada Chile Czechia Denmark Egypt Estonia Finland France Germany Greece Iceland India Ireland Italy Japan Kenya Mexico Norway Poland Portugal Spain Sweden Türkiye Uruguay Vietnam'.split(
    ' ',
  );

/**
 * kind: a type of input, or select, selects, textarea, editable, switch, radio. `value` is what it
 * shall hold in the end.
 */
const field = (name, label, kind, value, more = {}) => ({ name, label, kind, value, ...more });

export const FIELDS = [
  field('given', 'Given name', 'text', 'Grace'),
  field('second', 'Second name', 'text', 'Brewster'),
  field('family', 'Family name', 'text', 'Hopper'),
  field('mail', 'E-mail', 'email', 'grace@example.test'),
  field('secret', 'Passphrase', 'password', 'n4no&second'),
  field('telephone', 'Telephone', 'tel', '+1 555 010 1906'),
  field('homepage', 'Homepage', 'url', 'https://example.test/grace'),
  field('keyword', 'Look for', 'search', 'compiler'),
  field('age', 'Age', 'number', '47'),
  field('service', 'Years of service', 'number', '43', { attributes: 'min=0 max=80' }),
  field('volume', 'Volume', 'range', '65', { attributes: 'min=0 max=100 step=5 value=40' }),
  field('born', 'Date of birth', 'date', '1906-12-09'),
  field('wake', 'Wake me at', 'time', '06:45'),
  field('arrival', 'Arrival', 'datetime-local', '2032-02-03T10:20'),
  field('invoice', 'Month of invoice', 'month', '2032-06'),
  field('holiday', 'Week of holiday', 'week', '2032-W30'),
  field('shade', 'Shade', 'color', '#2a6f97'),
  field('street', 'Street', 'text', '7 Harbour Lane'),
  field('town', 'Town', 'text', 'Arlington'),
  field('postcode', 'Postcode', 'text', 'VA 22201', { attributes: 'pattern="[A-Z0-9 ]+"' }),
  field('country', 'Country', 'select', 'Iceland', { options: COUNTRIES }),
  field('tongue', 'Language', 'select', 'Français', {
    options: ['English', 'Deutsch', 'Español', 'Français', '日本語'],
  }),
  field('topics', 'Topics', 'selects', ['Compilers', 'Ships'], {
    options: ['Clocks', 'Compilers', 'Maps', 'Ships', 'Wires'],
  }),
  field('editor', 'Editor', 'text', 'ed', { suggestions: ['ed', 'vi', 'emacs'] }),
  field('about', 'About you', 'textarea', 'Found a moth.\nTaped it in the log.'),
  field('wishes', 'ClientPreferences', 'textarea', 'A foot of wire, please.'),
  field('letter', 'Send me the letter', 'checkbox', true),
  field('calls', 'Call me', 'checkbox', false, { initial: true }),
  field('rules', 'I know the rules', 'checkbox', true, { attributes: 'required' }),
  field('data', 'Keep my data', 'checkbox', true, { attributes: 'required' }),
  field('delivery', 'Delivery', 'radio', 'Courier', { options: ['Post', 'Courier', 'Collect'] }),
  field('paying', 'Paying by', 'radio', 'Bill', { options: ['Card', 'Bill', 'Cheque', 'Coins'] }),
  field('reply', 'Answer by', 'radio', 'Telegram', { options: ['Voice', 'Letter', 'Telegram'] }),
  field('firm', 'Firm', 'text', 'Universal Machines'),
  field('post', 'Position', 'text', 'Rear admiral'),
  field('pay', 'Pay', 'number', '5100.5', { attributes: 'step=0.5' }),
  field('remarks', 'Remarks', 'editable', 'Mind the clock'),
  field('night', 'Night colours', 'switch', true),
  field('paper', 'Paper', 'file', 'note.txt'),
  field('code', 'Voucher', 'text', 'MOTH-1947'),
];

const control = ({ name, label, kind, options, suggestions, attributes = '', initial }) => {
  const ids = `id="${name}" name="${name}"`;
  const labelled = (inner) => `<label for="${name}">${label}</label>${inner}`;
  const choices = options?.map((option) => `<option>${option}</option>`).join('');
  const datalist = suggestions
    ? `<datalist id="${name}-list">${suggestions.map((text) => `<option value="${text}">`).join('')}</datalist>`
    : '';
  switch (kind) {
    case 'select':
      return labelled(`<select ${ids}><option value="">Choose one</option>${choices}</select>`);
    case 'selects':
      return labelled(`<select ${ids} multiple size=5>${choices}</select>`);
    case 'textarea':
      return labelled(`<textarea ${ids} rows=3 cols=40></textarea>`);
    case 'checkbox':
      return `<label><input type=checkbox ${ids} ${attributes} ${initial ? 'checked' : ''}> ${label}</label>`;
    case 'radio':
      return `<fieldset><legend>${label}</legend>${options.map((option) => `<label><input type=radio name="${name}" value="${option}"> ${option}</label>`).join(' ')}</fieldset>`;
    case 'editable':
      return `<div id="${name}-label">${label}</div><div id="${name}" role=textbox aria-multiline=true aria-labelledby="${name}-label" contenteditable=true style="border:1px solid;min-height:3em"></div>`;
    case 'switch':
      return `<button type=button id="${name}" role=switch aria-checked=false>${label}</button>`;
    default:
      return labelled(
        `<input type="${kind}" ${ids} ${attributes} ${suggestions ? `list="${name}-list"` : ''}>${datalist}`,
      );
  }
};

/** Runs in the page: sends what the form holds, as a reader of the form would see it. */
function sending() {
  const night = document.getElementById('night');
  night.addEventListener('click', () =>
    night.setAttribute('aria-checked', String(night.getAttribute('aria-checked') !== 'true')),
  );
  const held = (field) => {
    if (field.type === 'checkbox') return field.checked;
    if (field.type === 'file') return field.files[0]?.name ?? '';
    if (field.multiple) return [...field.selectedOptions].map((option) => option.text);
    return field.tagName === 'SELECT' ? field.selectedOptions[0].text : field.value;
  };
  const send = async (fields) => {
    const sent = {};
    for (const field of fields)
      if (field.name && (field.type !== 'radio' || field.checked)) sent[field.name] = held(field);
    sent.remarks = document.getElementById('remarks').innerText.trim();
    sent.night = night.getAttribute('aria-checked') === 'true';
    const answer = await fetch('/form/sent', { method: 'POST', body: JSON.stringify(sent) });
    document.getElementById('answer').textContent = await answer.text();
  };
  document.forms[0].addEventListener('submit', (event) => {
    event.preventDefault();
    void send(event.target.elements);
  });
}

export const formPage =
  () => `<!doctype html><html lang=en><meta charset=utf-8><title>Forty fields</title>
<style>body{font:15px sans-serif;max-width:44em;margin:2em auto}.row{margin:.5em 0}label{display:inline-block;min-width:12em}</style>
<h1>Forty fields</h1><form>${FIELDS.map((field) => `<div class=row>${control(field)}</div>`).join('\n')}
<button type=submit>Send all</button></form><p id=answer role=status></p><script>(${String(sending)})()</script></html>`;

/** The names of the fields that were sent otherwise than wanted. */
export const wrongFields = (sent) =>
  FIELDS.filter(({ name, value }) => JSON.stringify(sent[name]) !== JSON.stringify(value)).map(
    ({ name }) => name,
  );

/** Runs in the page: what a script that knows the form would do. */
export function setFields(fields) {
  for (const { name, kind, value } of fields) {
    const element = document.getElementById(name);
    if (kind === 'radio') document.querySelector(`[name="${name}"][value="${value}"]`).click();
    else if (kind === 'switch' || (kind === 'checkbox' && element.checked !== value))
      element.click();
    else if (kind === 'selects')
      for (const option of element.options) option.selected = value.includes(option.text);
    else if (kind === 'editable') element.textContent = value;
    else if (kind !== 'checkbox' && kind !== 'file') element.value = value;
  }
}
