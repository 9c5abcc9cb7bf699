'use strict';
/* Colour maps of the program: 33 colours, straight lines between them. */

const knots = {};
for (const [name, text] of Object.entries(page.colormaps))
  knots[name] = text.match(/../g).map((pair) => parseInt(pair, 16));

/* Red, green and blue of a position from 0 to 1 as one number 0xbbggrr, the order of bytes in a picture. */
function colourAt(map, position) {
  const scaled = 32 * Math.max(0, Math.min(1, position));
  const k = Math.min(31, Math.floor(scaled));
  const share = scaled - k;
  let colour = 0;
  for (let channel = 2; channel >= 0; channel--)
    colour = colour * 256 + Math.round((1 - share) * map[3 * k + channel] + share * map[3 * k + 3 + channel]);
  return colour;
}

/* 1024 of them, for pictures. */
function colourTable(map) {
  const colours = new Uint32Array(1024);
  for (let k = 0; k < 1024; k++) colours[k] = 0xff000000 + colourAt(map, k / 1023);
  return colours;
}

const cssColour = (colour) => `rgb(${colour & 255},${(colour >> 8) & 255},${(colour >> 16) & 255})`;

/* Is a line of that colour map's position better seen in white? Of white and black, one stands out from any colour: 0.179 is
   the luminance from which both are equally far. */
function isDark(map, position) {
  const colour = colourAt(map, position);
  const light = (byte) => ((byte / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * light(colour & 255) + 0.7152 * light((colour >> 8) & 255) + 0.0722 * light((colour >> 16) & 255) < 0.179;
}
