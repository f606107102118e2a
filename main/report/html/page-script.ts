/**
 * The page's only script: compares the SHA-256 of the artifacts beside the page with those that the page carries, and shows what it found. Served
 * over HTTP it reads them itself; opened from disk, where a browser must not, it takes the files that a person chooses or drops.
 */
export const PAGE_SCRIPT = `'use strict';
(async () => {
  const banner = document.getElementById('integrity');
  const marks = [...document.querySelectorAll('[data-sha256]')];
  const say = (state, text) => { banner.className = 'banner ' + state; banner.textContent = text; };
  if (marks.length === 0) return;
  if (!globalThis.crypto || !crypto.subtle)
    return say('unknown', '○ This address is not a secure one, so the browser offers no SHA-256. The commands under Artifacts check the files.');
  const nameOf = (mark) => decodeURIComponent(mark.dataset.file).split('/').pop();
  const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const look = async (mark, read) => {
    try {
      const bytes = await read(mark);
      if (bytes === null) return 'missing';
      return hex(await crypto.subtle.digest('SHA-256', bytes)) === mark.dataset.sha256 ? 'same' : 'changed';
    } catch { return 'unreadable'; }
  };
  const words = { same: '● same', changed: '▲ changed', missing: '✕ missing', unreadable: '○ unreadable' };
  const compare = async (some, read) => {
    const found = { same: [], changed: [], missing: [], unreadable: [] };
    say('unknown', '◐ Reading ' + some.length + ' files…');
    for (const mark of some) {
      const state = await look(mark, read);
      found[state].push(nameOf(mark));
      mark.textContent = words[state];
      mark.className = 'check ' + state;
    }
    if (found.same.length === marks.length)
      return say('same', '● All ' + marks.length + ' files beside this page are those that its figures come from.');
    const listed = (state) => found[state].length === 0 ? [] : [found[state].length + ' ' + state + ' (' + found[state].slice(0, 3).join(', ') + (found[state].length > 3 ? ', …' : '') + ')'];
    const rest = ['changed', 'missing', 'unreadable'].flatMap(listed);
    if (some.length < marks.length) rest.push(marks.length - some.length + ' not chosen');
    const broken = found.changed.length > 0;
    say(broken ? 'changed' : 'unknown', (broken ? '▲ The figures on this page are not those of the files beside it: ' : '○ ') +
      found.same.length + ' of ' + marks.length + ' files match; ' + rest.join('; ') + '.');
    offer(' ');
  };
  const choose = async (files) => {
    const byName = new Map([...files].map((file) => [file.name, file]));
    const some = marks.filter((mark) => byName.has(nameOf(mark)));
    if (some.length > 0) return compare(some, (mark) => byName.get(nameOf(mark)).arrayBuffer());
    say('unknown', '○ None of the chosen files is one of the ' + marks.length + ' under Artifacts.');
    offer(' ');
  };
  const offer = (before) => {
    const label = document.createElement('label');
    const input = document.createElement('input');
    label.textContent = 'Choose the files to compare, or drop them here.';
    Object.assign(input, { type: 'file', multiple: true, className: 'unseen' });
    input.addEventListener('change', () => choose(input.files));
    label.append(input);
    banner.append(before, label);
  };
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => { event.preventDefault(); choose(event.dataTransfer.files); });
  if (location.protocol === 'file:') {
    say('unknown', '○ Opened from disk, where a browser cannot read other files. If the ' + marks.length + ' files under Artifacts are here, they can be compared:');
    return offer(' ');
  }
  await compare(marks, async (mark) => {
    const response = await fetch(mark.dataset.file, { cache: 'no-store', redirect: 'error' });
    return response.ok ? response.arrayBuffer() : null;
  });
})();
`
