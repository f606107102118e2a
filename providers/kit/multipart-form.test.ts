import { describe, expect, it } from 'vitest'
import { parseMultipart } from './multipart-form.ts'

async function encoded(form: FormData): Promise<{ body: Buffer; type: string }> {
  const response = new Response(form)
  return { body: Buffer.from(await response.arrayBuffer()), type: response.headers.get('content-type')! }
}

describe('parseMultipart', () => {
  it('gives back fields and files byte for byte, also bytes that look like framing', async () => {
    const bytes = Buffer.from([0, 13, 10, 45, 45, 255, 13, 10, 13, 10, 0])
    const form = new FormData()
    form.append('model', 'flite')
    form.append('text', 'Grüße\r\n--x\r\n')
    form.append('file', new Blob([bytes], { type: 'audio/wav' }), 'a "b" ü.wav')
    form.append('empty', new Blob([]), 'e.bin')
    const { body, type } = await encoded(form)
    const parsed = parseMultipart(body, type)
    expect(parsed.fields).toEqual({ model: 'flite', text: 'Grüße\r\n--x\r\n' })
    expect([...parsed.files].map(([name, file]) => [name, file.filename, file.mediaType, [...file.bytes]])).toEqual([
      ['file', 'a "b" ü.wav', 'audio/wav', [...bytes]],
      ['empty', 'e.bin', 'application/octet-stream', []],
    ])
  })

  it('keeps lines that only begin like the boundary', () => {
    const part = '--b\r\ncontent-disposition: form-data; name="f"\r\n\r\nx\r\n--bX\r\ny\r\n--b--\r\n'
    expect(parseMultipart(Buffer.from(part), 'multipart/form-data; boundary=b').fields).toEqual({ f: 'x\r\n--bX\r\ny' })
  })

  it.each([
    ['no boundary', 'multipart/form-data', 'x'],
    ['another boundary', 'multipart/form-data; boundary=b', '--a\r\n\r\n--a--'],
    ['a cut body', 'multipart/form-data; boundary=b', '--b\r\ncontent-disposition: form-data; name="f"\r\n\r\nhalf'],
    ['a part without name', 'multipart/form-data; boundary=b', '--b\r\nx: y\r\n\r\nz\r\n--b--\r\n'],
    [
      'a part whose header is larger than any client writes',
      'multipart/form-data; boundary=b',
      `--b\r\ncontent-disposition: form-data; name=f\r\nx: ${'y'.repeat(17_000)}\r\n\r\nz\r\n--b--\r\n`,
    ],
    [
      'too many parts',
      'multipart/form-data; boundary=b',
      `${'--b\r\ncontent-disposition: form-data; name=f\r\n\r\nz\r\n'.repeat(80)}--b--`,
    ],
  ])('refuses %s with 400', (_name, type, body) => {
    expect(() => parseMultipart(Buffer.from(body), type)).toThrow(expect.objectContaining({ status: 400 }))
  })
})
