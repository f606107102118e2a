/** Okabe and Ito's colours, which hold for colour-blind eyes; the approaches' own meaning is not on this page. */
const COLOURS = ['#0072B2', '#E69F00', '#009E73', '#CC79A7', '#D55E00', '#56B4E9', '#8F7700', '#7F5BB5']
const OTHERS = '#8a92a0'

/** Communities with a colour of their own; smaller ones share grey. */
export const COLOURED = COLOURS.length

/** Colour of a community by its number; 0 is the largest. */
export const communityColour = (community: number): string => COLOURS[community] ?? OTHERS
