import { z } from 'zod'

/** What the panel remembers of a person in this project, whatever browser shows it. */
export const PanelState = z.strictObject({
  /** The first-start tour was finished or skipped: it does not open by itself again. */
  tour_seen: z.boolean().default(false),
})
export type PanelState = z.infer<typeof PanelState>
