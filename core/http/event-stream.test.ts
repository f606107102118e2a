import { describe, expect, it } from 'vitest'
import { eventData } from './event-stream.ts'
import { BodyTooLarge } from './bodies.ts'

async function read(text: string, pieceBytes: number, limitBytes = 1000): Promise<string[]> {
  const bytes = Buffer.from(text)
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
  }
  return Array.fromAsync(eventData(pieces(), limitBytes))
}

describe('eventData', () => {
  it.each([1, 2, 3, 7, 500])('reads events whose bytes arrive %i at a time', async (pieceBytes) => {
    const text = ': comment\n\nevent: x\ndata: {"a":"ü"}\r\n\r\ndata: one\ndata: two\n\ndata:[DONE]\n\n'
    expect(await read(text, pieceBytes)).toEqual(['{"a":"ü"}', 'one\ntwo', '[DONE]'])
  })

  it('keeps an event that no empty line follows', async () => {
    expect(await read('data: one\n\ndata: two', 4)).toEqual(['one', 'two'])
  })

  it('ends at the size limit', async () => {
    await expect(read('data: 123456789\n\n'.repeat(10), 16, 100)).rejects.toThrow(BodyTooLarge)
  })
})
