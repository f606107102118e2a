import type { ChangeEvent } from 'react'

/** Names of a draft's fields that hold values of a type and have a label. */
type Names<Draft, Words, Value> = {
  [Name in keyof Draft & keyof Words & string]: Draft[Name] extends Value ? Name : never
}[keyof Draft & keyof Words & string]

interface FormOptions<Draft, Words> {
  /** The label of a field by its name; an explanation as `nameAbout` and an example as `nameExample`. */
  words: Words
  draft: Draft
  onChange: (part: Partial<Draft>) => void
  /** Holds a field's problem, by its name. */
  problems?: Readonly<Record<string, string | undefined>>
}

type Input = HTMLInputElement | HTMLTextAreaElement

/** The properties of a form's inputs: label, explanation, value, what is wrong with it, and how it changes the draft. */
export function formFields<Draft extends object, Words extends object>(options: FormOptions<Draft, Words>) {
  const { words, draft, onChange, problems = {} } = options
  const textOf = (key: string): string | undefined => {
    const text: unknown = words[key as keyof Words]
    return typeof text === 'string' ? text : undefined
  }
  const put = (name: string, value: unknown): void => onChange({ [name]: value } as Partial<Draft>)
  const shared = (name: string) => ({
    label: textOf(name),
    description: textOf(`${name}About`),
    error: problems[name],
  })
  const written = (name: string) => ({ ...shared(name), placeholder: textOf(`${name}Example`) })
  return {
    /** Of a field whose value its input shows in a way of its own. */
    any: (name: keyof Draft & keyof Words & string) => written(name),
    text: (name: Names<Draft, Words, string>) => ({
      ...written(name),
      value: draft[name] as string,
      onChange: ({ currentTarget: { value } }: ChangeEvent<Input>) => put(name, value),
    }),
    /** Null while it is empty. */
    number: (name: Names<Draft, Words, number | null>) => ({
      ...written(name),
      value: (draft[name] as number | null) ?? '',
      onChange: (value: number | string) => put(name, typeof value === 'number' ? value : null),
    }),
    check: (name: Names<Draft, Words, boolean>) => ({
      ...shared(name),
      checked: draft[name] as boolean,
      onChange: ({ currentTarget: { checked } }: ChangeEvent<HTMLInputElement>) => put(name, checked),
    }),
    /** One of several; it cannot be emptied. */
    choice: <Name extends Names<Draft, Words, string | null>>(name: Name) => ({
      ...written(name),
      value: draft[name],
      onChange: (value: string | null) => value !== null && put(name, value),
    }),
    /** One of several or null. */
    optional: <Name extends Names<Draft, Words, string | null>>(name: Name) => ({
      ...written(name),
      clearable: true as const,
      value: draft[name],
      onChange: (value: string | null) => put(name, value),
    }),
    list: (name: Names<Draft, Words, readonly string[]>) => ({
      ...written(name),
      value: draft[name] as string[],
      onChange: (value: string[]) => put(name, value),
    }),
  }
}
