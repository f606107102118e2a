import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { CorpusFile } from './corpus.ts'
import { serviceUpload } from './service-upload.ts'

const file: CorpusFile = { path: 'a/b.docx', read: async () => Buffer.from('x') } as unknown as CorpusFile
let current: Server | null = null
let uploads = 0

/** A service on a port of its own; `die` makes it end in the middle of an upload. */
async function listen(port: number, die: boolean): Promise<number> {
  const server = createServer((request, response) => {
    if (request.url === '/health') return void response.end('{}')
    uploads += 1
    request.resume()
    if (!die) return void response.end('text')
    server.close()
    server.closeAllConnections()
  })
  current = server
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

afterEach(() => {
  current?.close()
  current?.closeAllConnections()
})

const send = async (port: number, comesBackMs: number, signal = new AbortController().signal): Promise<string> => {
  uploads = 0
  const upload = serviceUpload('converter', { url: `http://127.0.0.1:${port}`, token: null }, comesBackMs)
  try {
    return await upload.send('/convert', file, {}, signal)
  } finally {
    await upload.close()
  }
}

describe('a service that ends while it reads a file', () => {
  it('gets the file once more when it is back', async () => {
    const port = await listen(0, true)
    setTimeout(() => void listen(port, false), 700)
    expect(await send(port, 10_000)).toBe('text')
    expect(uploads).toBe(2)
  })

  it('gets a file only once more that ends it again', async () => {
    const port = await listen(0, true)
    setTimeout(() => void listen(port, true), 300)
    await expect(send(port, 1500)).rejects.toThrow(/did not answer/)
    expect(uploads).toBe(2)
  })

  it('is not waited for without end, and not when the job is cancelled', async () => {
    const port = await listen(0, true)
    await expect(send(port, 300)).rejects.toThrow(/did not answer/)
    const again = await listen(0, true)
    const stop = new AbortController()
    setTimeout(() => stop.abort(new Error('cancelled')), 200)
    await expect(send(again, 20_000, stop.signal)).rejects.toThrow('cancelled')
  })
})
