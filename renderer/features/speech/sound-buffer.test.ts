import { expect, it } from 'vitest'
import { requireContent } from './sound-buffer.ts'

it('reports a file without a byte as empty, by its name', () => {
  expect(() => requireContent(new File([], 'note.wav'))).toThrow('note.wav is empty: it has 0 bytes.')
  expect(() => requireContent(new Blob([]))).toThrow('The recording is empty: it has 0 bytes.')
  expect(() => requireContent(new File(['x'], 'note.wav'))).not.toThrow()
})
