// A site that identifies its visitors by a cookie, with forms of every kind and long pages: the
// state that a saved session must restore.
import type { Site } from '../fixtures.ts';

const FORM = `<label>Name <input id=name name=name></label>
<label>Story <textarea name=story></textarea></label>
<label>Size <select name=size><option>S<option>M<option>L</select></label>
<label>Extras <select name=extras multiple><option>a<option>b<option>c</select></label>
<label><input type=checkbox name=gift value=yes>Gift</label>
<label><input type=checkbox name=news value=yes checked>News</label>
<label><input type=radio name=pay value=card>Card</label><label><input type=radio name=pay value=cash>Cash</label>
<label>When <input type=date name=when></label>
<label>Secret <input type=password name=pw></label>
<label>CV <input type=file name=cv></label>
<div id=note contenteditable></div>
<input type=hidden name=csrf value=fresh>`;

const page = (
  user: string,
): string => `<!doctype html><title>Shop of ${user}</title><h1>Hello ${user}</h1>${FORM}
<div id=box style="height:100px;overflow:auto"><div style="height:2000px">inner</div></div>
<div style="height:4000px"></div><p id=end>end</p>
<script>
document.querySelector('h1').dataset.cart = localStorage.getItem('cart') ?? 'none';
document.querySelector('h1').dataset.step = sessionStorage.getItem('step') ?? 'none';
window.inputs = 0; addEventListener('input', () => window.inputs++);
</script>`;

/** `/login` makes a visitor known, `/shop` greets who is. */
export const serveShop = (site: Site): { shop: string; login: string; token: string } => {
  const token = 'visitor-5512-known';
  const login = site.page('/login', (_, response) =>
    response
      .writeHead(302, {
        'set-cookie': `visitor=${token}; Path=/; HttpOnly; SameSite=Lax`,
        location: '/shop',
      })
      .end(),
  );
  const shop = site.page('/shop', ({ headers }, response) => {
    const user = headers.cookie?.includes(`visitor=${token}`) ? 'Ada' : 'stranger';
    response.writeHead(200, { 'content-type': 'text/html' }).end(page(user));
  });
  return { shop, login, token };
};

/** Fills the form in the way a person's input would, from inside of the page. */
export const FILL = `
const set = (name, value) => { const field = document.querySelector('[name=' + name + ']'); field.value = value; field.dispatchEvent(new Event('input', {bubbles: true})); };
set('name', 'Ada "L" <Lovelace>'); set('story', 'first line\\nsecond line'); set('size', 'L'); set('when', '2026-12-24'); set('pw', 'opensesame-77');
for (const option of document.querySelector('[name=extras]').options) option.selected = option.value !== 'b';
document.querySelector('[name=gift]').checked = true; document.querySelector('[name=news]').checked = false;
document.querySelector('[value=cash]').checked = true; document.querySelector('#note').innerText = 'a note';
document.querySelector('#box').scrollTop = 333; scrollTo(0, 1234); 1`;

/** Everything that the page shows of it. */
export const LOOK = `({
  greeting: document.querySelector('h1').textContent, cart: document.querySelector('h1').dataset.cart, step: document.querySelector('h1').dataset.step,
  name: document.querySelector('[name=name]').value, story: document.querySelector('[name=story]').value, size: document.querySelector('[name=size]').value,
  extras: [...document.querySelector('[name=extras]').selectedOptions].map((o) => o.value).join(), when: document.querySelector('[name=when]').value,
  gift: document.querySelector('[name=gift]').checked, news: document.querySelector('[name=news]').checked, pay: document.querySelector('[name=pay]:checked')?.value ?? '',
  pw: document.querySelector('[name=pw]').value, note: document.querySelector('#note').innerText, csrf: document.querySelector('[name=csrf]').value,
  box: document.querySelector('#box').scrollTop, y: scrollY })`;

export const FILLED = {
  greeting: 'Hello Ada',
  name: 'Ada "L" <Lovelace>',
  story: 'first line\nsecond line',
  size: 'L',
  extras: 'a,c',
  when: '2026-12-24',
  gift: true,
  news: false,
  pay: 'cash',
  pw: '',
  note: 'a note',
  csrf: 'fresh',
  box: 333,
  y: 1234,
};
