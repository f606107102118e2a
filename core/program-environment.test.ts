import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { programEnvironment } from './program-environment.ts'

it('a program of another maker gets its paths and its language, and no address or credential', () => {
  const needed = { PATH: '/bin', HOME: '/home/ada', LC_ALL: 'C', TMPDIR: '/scratch', SystemRoot: 'C:\\Windows' }
  const others = {
    OPENAI_API_KEY: 'a',
    GATEWAY_URL: 'http://gateway',
    RAG_LADDER_PAGE: 'b',
    NODE_OPTIONS: '--import=x',
    HTTPS_PROXY: 'http://ada:secret@proxy',
  }
  expect(programEnvironment({ ...needed, ...others, UNSET: undefined })).toEqual(needed)
})

it.each(['converter/formats/libreoffice.ts', 'kit/audio/ffmpeg.ts', 'stt/backends/pocketsphinx.ts'])(
  '%s starts its program with that environment',
  async (file) => {
    const text = await readFile(join(import.meta.dirname, '../providers', file), 'utf8')
    const starts = text.split('spawn(').length - 1
    expect(starts).toBeGreaterThan(0)
    expect(text.split('programEnvironment(process.env)').length - 1).toBe(starts)
  },
)
