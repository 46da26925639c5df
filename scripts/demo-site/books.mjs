// What the demo's bookshop sells.

const TITLES = [
  ['Notes on the Analytical Engine', 'Ada Lovelace', 1843, 18],
  ['The Laws of Thought', 'George Boole', 1854, 21.5],
  ['Computing Machinery and Intelligence', 'Alan Turing', 1950, 12],
  ['A Mathematical Theory of Communication', 'Claude Shannon', 1948, 16.9],
  ['The Education of a Computer', 'Grace Hopper', 1952, 14.2],
  ['As We May Think', 'Vannevar Bush', 1945, 9.5],
  ['Man-Computer Symbiosis', 'J. C. R. Licklider', 1960, 11],
  ['Go To Statement Considered Harmful', 'Edsger Dijkstra', 1968, 8],
  ['The Humble Programmer', 'Edsger Dijkstra', 1972, 10.4],
  ['On the Criteria To Be Used in Decomposing Systems', 'David Parnas', 1972, 13.3],
  ['Communicating Sequential Processes', 'Tony Hoare', 1978, 15],
  ['Time, Clocks, and the Ordering of Events', 'Leslie Lamport', 1978, 17.7],
  ['Reflections on Trusting Trust', 'Ken Thompson', 1984, 7],
  ['No Silver Bullet', 'Fred Brooks', 1986, 12.8],
  ['Hints for Computer System Design', 'Butler Lampson', 1983, 19],
  ['End-to-End Arguments in System Design', 'Jerome Saltzer', 1984, 16],
];

export const BOOKS = TITLES.map(([title, author, year, price], index) => ({
  id: index + 1,
  title,
  author,
  year,
  price,
  stock: (index * 7) % 5,
}));
