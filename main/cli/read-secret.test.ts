import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { InputError } from '../manifests/runner-inputs.ts'
import { readSecret } from './read-secret.ts'

/** A terminal that records whether it echoes. */
function terminal() {
  const modes: boolean[] = []
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => modes.push(raw) })
  let shown = ''
  const output = { write: (text: string) => ((shown += text), true) }
  const secret = readSecret('Key: ', input as unknown as NodeJS.ReadStream, output)
  return { input, modes, secret, shown: () => shown }
}

const piped = (text: string): Promise<string> => {
  const input = new PassThrough()
  input.end(text)
  return readSecret('Key: ', input as unknown as NodeJS.ReadStream, { write: () => true })
}

describe('a secret from standard input', () => {
  it('is read from a pipe without the end of its line', async () => {
    expect(await piped('sk-1234567\n')).toBe('sk-1234567')
    expect(await piped('sk-1234567\r\n')).toBe('sk-1234567')
    expect(await piped('sk-1234567')).toBe('sk-1234567')
  })

  it('is typed without echo, with corrections, and the echo is back afterwards', async () => {
    const { input, modes, secret, shown } = terminal()
    for (const part of ['sk-12', 'x\u007f', '34', '\r']) input.write(part)
    expect(await secret).toBe('sk-1234')
    expect(shown()).toBe('Key: \n')
    expect(modes).toEqual([true, false])
  })

  it('is not stored when the person presses Ctrl-C, and the echo is back', async () => {
    const { input, modes, secret } = terminal()
    input.write('sk-12\u0003')
    await expect(secret).rejects.toThrow(/cancelled/)
    expect(modes).toEqual([true, false])
  })

  it('is refused when it is empty', async () => {
    await expect(piped('\n')).rejects.toBeInstanceOf(InputError)
    const { input, secret } = terminal()
    input.write('\r')
    await expect(secret).rejects.toThrow(/no key was given/)
  })
})
