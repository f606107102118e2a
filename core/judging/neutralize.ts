const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
/** Characters that turn or hide text: what a judge reads must be what a person sees. */
const UNSEEN = /[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** Text in which nothing can pass for a delimiter of the prompt, a control sequence or unseen writing. Line ends become `\n`. */
export function neutralize(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(CONTROLS, ' ')
    .replace(UNSEEN, '')
    .replace(/<{3,}/g, '<<')
    .replace(/>{3,}/g, '>>')
    .toWellFormed()
}
