// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";

/// An ERC-1155 contract. A batch may name an id twice.
contract Items is ERC1155 {
    string public constant name = "Demo Items";
    string public constant symbol = "ITEM";

    constructor() ERC1155("") {}

    function mint(address to, uint256 id, uint256 value) external {
        _mint(to, id, value, "");
    }

    function mintBatch(address to, uint256[] calldata ids, uint256[] calldata values) external {
        _mintBatch(to, ids, values, "");
    }

    function burnBatch(uint256[] calldata ids, uint256[] calldata values) external {
        _burnBatch(msg.sender, ids, values);
    }
}
