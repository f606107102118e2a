import { expect, it } from 'vitest'
import { lastWords } from './supervised-service.ts'

it('the last words of a process are its sentences, without any form of a stack frame', () => {
  const frames = [
    '    at async Promise.all (index 0)',
    '    at async Promise.allSettled (index 12)',
    '    at new Store (file:///app/store.ts:12:7)',
    '    at async file:///app/main.ts:3:1',
    '    at Array.map (<anonymous>)',
    '    at read (native)',
    '    at async openStore',
    '    at open (file:///app/store.ts:12:7) {',
    '    ... 4 lines matching cause stack trace ...',
    'Node.js v24.11.1',
    '',
  ]
  const sentences = ['The store is damaged.', 'at least one file is missing', '  at the end of corpus/a.md: 3 bytes']
  expect(lastWords([sentences[0]!, ...frames, ...sentences.slice(1), ...frames])).toEqual(sentences)
})
