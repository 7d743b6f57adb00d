function failed(error) {
  const note = document.createElement("p");
  note.textContent = "The map and the tables need a browser of 2023 or later ("
    + error.message + ").";
  document.getElementById("cards").append(note);
  console.error(error);
}
