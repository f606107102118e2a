import { Writable } from 'node:stream'

/** An output that keeps what is written to it, and is no terminal. */
export class KeptText extends Writable {
  text = ''
  readonly isTTY = false

  constructor() {
    super({ decodeStrings: false })
  }

  override _write(part: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += part.toString()
    done()
  }

  asTerminal(): NodeJS.WriteStream {
    return this as unknown as NodeJS.WriteStream
  }
}
