import { expect, type Locator, type Page } from '@playwright/test'
import { TAB_STOPS } from './tab-stops.ts'

/** Describes what a job cost the person who did it. */
export interface Effort {
  /** Presses of the mouse button on the page, and drops of files. */
  clicks: number
  /** Fields that were typed into, with the keys that are not text, such as Enter. */
  typed: number
  /** Presses of Tab that lead by keyboard to the controls that were clicked, summed; each counted from the start of its page or dialog. */
  tabStops: number
  seconds: number
}

/** A file as a person drags it out of a folder. */
export interface CarriedFile {
  name: string
  bytes: Buffer
}

/**
 * A user of the page, whose clicks are counted by the page itself: each trusted press of the button, whatever the code of a spec calls.
 * Fields are clicked before they are typed into.
 */
export class Person {
  readonly page: Page
  #clicks = 0
  #typed = 0
  #tabStops = 0
  #since = performance.now()

  private constructor(page: Page) {
    this.page = page
  }

  /** Must be called before the page loads what is to be counted. */
  static async at(page: Page): Promise<Person> {
    const person = new Person(page)
    await page.exposeFunction('ragLadderPressed', (tabStops: number) => {
      person.#clicks += 1
      person.#tabStops += tabStops
    })
    await page.addInitScript(
      `const tabStops = ${TAB_STOPS}
      addEventListener('pointerdown', (event) => event.isTrusted && ragLadderPressed(tabStops(event.target)), true)
      // A drag from outside the browser has no press that the page sees: it counts as one.
      addEventListener('drop', (event) => ragLadderPressed(tabStops(event.target)), true)`,
    )
    return person
  }

  /** Starts a job. */
  begin(): void {
    this.#clicks = 0
    this.#typed = 0
    this.#tabStops = 0
    this.#since = performance.now()
  }

  /** Returns what the job has cost so far. */
  async effort(): Promise<Effort> {
    const seconds = (performance.now() - this.#since) / 1000
    // Presses arrive in their order: when this answer is here, so are they.
    await this.page.evaluate('1')
    return { clicks: this.#clicks, typed: this.#typed, tabStops: this.#tabStops, seconds }
  }

  async type(field: Locator, text: string): Promise<void> {
    await field.click()
    await field.fill(text)
    this.#typed += 1
  }

  /** Types into the field that has the focus already. */
  async fill(field: Locator, text: string): Promise<void> {
    await expect(field).toBeFocused()
    await this.page.keyboard.insertText(text)
    this.#typed += 1
  }

  async press(keys: string): Promise<void> {
    await this.page.keyboard.press(keys)
    this.#typed += 1
  }

  /** Drops files on an element. */
  async drop(element: Locator, files: readonly CarriedFile[]): Promise<void> {
    const carried = files.map(({ name, bytes }) => ({ name, base64: bytes.toString('base64') }))
    const data = await this.page.evaluateHandle(
      `(() => {
        const data = new DataTransfer()
        for (const { name, base64 } of ${JSON.stringify(carried)})
          data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name))
        return data
      })()`,
    )
    await element.dispatchEvent('drop', { dataTransfer: data })
  }
}
