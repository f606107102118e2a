import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fragment, h } from './markup.ts'

describe('h', () => {
  it('builds nested elements and leaves out what is null or false', () => {
    const made = h('p', { id: 'a', hidden: true, title: null, lang: false }, 'x ', h('b', {}, 1), [' ', null, 'y'])
    expect(made.html).toBe('<p id="a" hidden>x <b>1</b> y</p>')
    expect(h('br').html).toBe('<br>')
    expect(fragment('a', h('i', {}, 'b')).html).toBe('a<i>b</i>')
  })

  it('escapes every text, whatever it holds, in content and in attributes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const inner = h('p', { title: text }, text).html.slice('<p title="'.length, -'</p>'.length)
        const [title, content] = inner.split(/">(.*)/s) as [string, string]
        for (const part of [title, content]) expect(part).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/)
      }),
    )
  })

  it('takes out what turns or hides text', () => {
    expect(h('p', {}, 'a\u202eb\u0000c\u001b[31md').html).toBe('<p>abcd</p>')
  })
})
